/** For content that a browser must not show, or for answers without `nosniff`: browsers always save it. */
export function attachmentOf(filename: string): string {
  return dispositionAs("attachment", filename);
}

/**
 * Builds `Content-Disposition` with the original name (RFC 6266, RFC 8187). The plain `filename` is for old clients:
 * ASCII only, without characters of paths and escapes.
 */
export function dispositionAs(kind: "inline" | "attachment", filename: string): string {
  const plain = filename
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/[^ -~]|["\\/%:*?<>|]/gu, "_");
  const extended = plain === filename ? "" : `; filename*=UTF-8''${extendedValue(filename)}`;
  return `${kind}; filename="${plain}"${extended}`;
}

/** Encodes `value-chars` of RFC 8187 section 3.2.1. */
function extendedValue(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
