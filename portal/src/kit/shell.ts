/** Any text as one word of a shell command (POSIX 2.2.2). */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A call of the public API by curl, with the token that one has in `TOKEN`. */
export function curlOf(url: string, { method = "GET", body }: { method?: string; body?: unknown } = {}): string {
  const parts = ["curl -sS"];
  if (method !== "GET") parts.push(`-X ${method}`);
  parts.push(shellWord(url), `-H "Authorization: Bearer $TOKEN"`);
  if (body !== undefined) parts.push(`-H 'Content-Type: application/json' -d ${shellWord(JSON.stringify(body))}`);
  return parts.join(" ");
}
