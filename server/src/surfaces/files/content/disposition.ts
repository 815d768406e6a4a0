import { essenceOf } from "#domain/files/index.ts";

/** Types that do nothing by themselves in a browser, so that it may show them. All others are saved. */
const PASSIVE = new Set([
  "text/plain",
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
  "audio/mpeg",
  "audio/ogg",
  "audio/wav",
  "audio/mp4",
  "audio/flac",
  "video/mp4",
  "video/webm",
  "video/ogg",
]);

/**
 * `Content-Disposition` with the original name (RFC 6266, RFC 8187). The plain `filename` is for clients that know no other: ASCII, and nothing that
 * could be a path or an escape.
 */
export function dispositionOf(filename: string, contentType: string): string {
  return withName(PASSIVE.has(essenceOf(contentType)) ? "inline" : "attachment", filename);
}

/** For answers that can't say `nosniff`: whatever it is, it is saved. */
export function attachmentOf(filename: string): string {
  return withName("attachment", filename);
}

function withName(kind: string, filename: string): string {
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
