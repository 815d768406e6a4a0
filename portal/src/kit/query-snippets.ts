/** Quotes a text for a shell (POSIX, section 2.2.2). */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

interface Asked {
  readonly sql: string;
  readonly parameters?: unknown;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit?: number | undefined;
}

/** Returns a query as a curl command. The token is in the variable TOKEN. */
export function queryCurl(queryUrl: string, body: Asked): string {
  return [
    `curl -sS ${queryUrl}/v1/query`,
    `  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json'`,
    `  -d ${shellQuoted(JSON.stringify(body))}`,
  ].join(" \\\n");
}

/** Returns a query as a `mooring query` command, which streams a result of any size into a file. */
export function queryCommand(body: Asked, { format, output }: { format: string; output: string }): string {
  const parameters = Object.entries((body.parameters ?? {}) as Record<string, unknown>).map(
    ([name, value]) => `--param ${name}=${shellQuoted(JSON.stringify(value))}`,
  );
  return [
    `npx mooring query ${shellQuoted(body.sql)}`,
    ...parameters,
    ...(body.from === undefined ? [] : [`--from ${body.from}`]),
    ...(body.to === undefined ? [] : [`--to ${body.to}`]),
    `--format ${format} --output ${output}`,
  ].join(" ");
}
