interface First {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly portalUrl: string;
  readonly identityUrl: string;
  readonly ingestUrl: string;
  readonly queryUrl: string;
}

/** Returns the credential as an environment file, which the command line and most other tools read. */
export function envFile({ clientId, clientSecret, portalUrl }: First): string {
  return `MOORING_URL=${portalUrl}\nMOORING_CLIENT_ID=${clientId}\nMOORING_CLIENT_SECRET=${clientSecret}\n`;
}

/** Returns a curl command that gets an access token, as JSON. */
export function tokenCommand({ clientId, clientSecret, identityUrl }: First): string {
  return `curl -s -u '${clientId}:${clientSecret}' \\\n  -d grant_type=client_credentials ${identityUrl}/oauth/token`;
}

/**
 * Returns commands that get a token, send a first log entry, and query it. They work without a change. `at`: the time
 * of the entry.
 */
export function firstLogCommands(
  { clientId, clientSecret, identityUrl, ingestUrl, queryUrl }: First,
  at: string,
): string {
  const json = `-H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'`;
  return [
    `TOKEN=$(curl -s -u '${clientId}:${clientSecret}' -d grant_type=client_credentials ${identityUrl}/oauth/token \\`,
    `  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `curl -s ${json} \\`,
    `  -d '{"entries":[{"timestamp":"${at}","level":"info","message":"hello"}]}' ${ingestUrl}/v1/ingest/logs`,
    `curl -s ${json} \\`,
    `  -d '{"sql":"SELECT timestamp, level, message FROM logs ORDER BY timestamp DESC LIMIT 10"}' ${queryUrl}/v1/query`,
  ].join("\n");
}
