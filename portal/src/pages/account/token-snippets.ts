/**
 * Returns a command that reads the token without echo and passes it to docker on standard input. So the token is not in
 * the shell's history or the process list. It is one line, since `read` would take the second line of a pasted command
 * as the token.
 */
export function dockerLogin(registry: string, email: string): string {
  return `read -rs TOKEN && printf %s "$TOKEN" | docker login ${registry} -u ${quoted(email)} --password-stdin`;
}

/** Quotes a text for a shell, if it has more than plain letters. */
function quoted(text: string): string {
  return /^[\w.@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
