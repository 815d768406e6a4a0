/** Returns a command that gets a token and sends an entry to this server. */
export function firstLogCommand({ identity_url, ingest_url }: { identity_url: string; ingest_url: string }): string {
  return `TOKEN=$(curl -sS ${identity_url}/oauth/token -u CLIENT_ID:CLIENT_SECRET -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/') && \\
curl -sS ${ingest_url}/v1/ingest/logs -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"entries": [{"timestamp": "'$(date -u +%Y-%m-%dT%H:%M:%SZ)'", "level": "info", "message": "hello from '$(hostname)'", "service": "shop"}]}'`;
}
