/** Lines of JSON under each name that is in use; none of them is registered. */
export const LINES_TYPES: readonly string[] = ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/** The media type of a `Content-Type` without its parameters, in lower case; empty without one. */
export function mediaTypeOf(contentType: string | undefined): string {
  return contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
}
