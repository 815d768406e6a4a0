import { essenceOf } from "#domain/files/index.ts";
import { dispositionAs } from "#http/index.ts";

/** Types that run nothing in a browser, so it may show them. All others are saved. */
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

/** Lets browsers show passive types, and save all others. */
export function dispositionOf(filename: string, contentType: string): string {
  return dispositionAs(PASSIVE.has(essenceOf(contentType)) ? "inline" : "attachment", filename);
}
