export function quoted(etag: string): string {
  return `"${etag}"`;
}

/** Accepts weak and strong tags, with or without quotation marks. */
export function unquoted(etag: string): string {
  return etag
    .trim()
    .replace(/^W\//, "")
    .replace(/^"(.*)"$/, "$1");
}
