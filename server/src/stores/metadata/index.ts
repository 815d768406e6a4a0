export { isUniqueViolation, uniqueViolation, type UniqueViolation } from "./errors.ts";
export { openMetadata, type MetadataOptions } from "./open.ts";
export type { Tables } from "./schema.ts";
export type { MetadataStore, NotifyChannel, Reader, Writer } from "./types.ts";
