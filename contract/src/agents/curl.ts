export const KEY_IN_TERMINAL =
  "For bash and zsh. The line with the key begins with a space, so most shells do not save it in their history. curl reads the key from a pipe, so the list of processes does not show it.";

/** Returns lines that define the function `send_to_mooring`: curl with the key in a field of the head. */
export function curlWith(key: string, field: string): string {
  const separator = field.includes(":") ? " " : ": ";
  return ` MOORING_INGEST_KEY=${key}
send_to_mooring() { curl -sS --fail-with-body --config <(printf 'header = "${field}${separator}%s"\\n' "$MOORING_INGEST_KEY") "$@"; }`;
}
