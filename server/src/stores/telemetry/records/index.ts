export { RecordFiles, type RecordSnapshot, type RecordSource, type RecordSources, type SourceRow } from "./files.ts";
export { RECORD_TABLE_NAMES, RECORD_TABLES, type RecordTable } from "./tables.ts";
