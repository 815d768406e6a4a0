/**
 * One line, so that the prompt does not read the rest of a paste. It reads the token without echo and passes it to docker on
 * standard input: the token stays out of the shell's history and of the process list.
 */
export function dockerLogin(registry: string, email: string): string {
  return `read -rs TOKEN && printf %s "$TOKEN" | docker login ${registry} -u ${quoted(email)} --password-stdin`;
}

/** For a shell, where it is more than plain letters. */
function quoted(text: string): string {
  return /^[\w.@+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
