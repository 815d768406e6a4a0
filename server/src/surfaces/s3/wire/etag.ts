export function quoted(etag: string): string {
  return `"${etag}"`;
}

/** Weak or strong, with quotation marks or without. */
export function unquoted(etag: string): string {
  return etag
    .trim()
    .replace(/^W\//, "")
    .replace(/^"(.*)"$/, "$1");
}
