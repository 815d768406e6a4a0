/** Quotes a text as one word of a shell command (POSIX, section 2.2.2). */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Returns a call of the public API as a curl command. The token is in the variable TOKEN. */
export function curlOf(url: string, { method = "GET", body }: { method?: string; body?: unknown } = {}): string {
  const parts = ["curl -sS"];
  if (method !== "GET") parts.push(`-X ${method}`);
  parts.push(shellWord(url), `-H "Authorization: Bearer $TOKEN"`);
  if (body !== undefined) parts.push(`-H 'Content-Type: application/json' -d ${shellWord(JSON.stringify(body))}`);
  return parts.join(" ");
}
