/** The media types that are in use for lines of JSON. None is registered. */
export const LINES_TYPES: readonly string[] = ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/** Returns the media type of a `Content-Type` without parameters, in lower case; empty when it is absent. */
export function mediaTypeOf(contentType: string | undefined): string {
  return contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
}
