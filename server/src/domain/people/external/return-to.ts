/**
 * Returns a path of the portal to return to. Anything else gives the portal's first page, so that no link leads a
 * person to another site.
 */
export function localPath(asked: unknown): string {
  const isPath = typeof asked === "string" && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(asked) && asked.length <= 2048;
  return isPath ? asked : "/";
}
