export { isUniqueViolation, uniqueViolation } from "./errors.ts";
export { MigrationsPending, type Migrating } from "./migrate.ts";
export { openMetadata, type MetadataOptions } from "./open.ts";
export { copySqliteRecords, openRecordsCopy, RECORDS_FILE } from "./sqlite/snapshot.ts";
export { columnsOf, prepared } from "./prepared.ts";
export { startAnalysis } from "./analysis.ts";
export { inTimeRange, literal, type TimePlace, type TimeRange } from "./time-range.ts";
export type { Tables } from "./schema.ts";
export type { MetadataStore, Reader, Writer } from "./types.ts";
