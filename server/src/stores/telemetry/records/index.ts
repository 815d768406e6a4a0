export { RecordFiles, type RecordSnapshot, type RecordSource, type RecordSources } from "./files.ts";
export { RECORD_TABLE_NAMES, RECORD_TABLES, type RecordTable } from "./tables.ts";
