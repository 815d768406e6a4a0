/**
 * The path of the portal to return to; the portal's first page for everything else, so that no link leads a person
 * elsewhere.
 */
export function localPath(asked: unknown): string {
  const isPath = typeof asked === "string" && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(asked) && asked.length <= 2048;
  return isPath ? asked : "/";
}
