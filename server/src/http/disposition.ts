/** For content that a browser must never show, or for answers without `nosniff`: it is always saved. */
export function attachmentOf(filename: string): string {
  return dispositionAs("attachment", filename);
}

/**
 * `Content-Disposition` with the original name (RFC 6266, RFC 8187). The plain `filename` is for clients that know no other: ASCII, and nothing that
 * could be a path or an escape.
 */
export function dispositionAs(kind: "inline" | "attachment", filename: string): string {
  const plain = filename
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^ -~]|["\\/%:*?<>|]/gu, "_");
  const extended = plain === filename ? "" : `; filename*=UTF-8''${extendedValue(filename)}`;
  return `${kind}; filename="${plain}"${extended}`;
}

/** `value-chars` of RFC 8187 section 3.2.1. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
