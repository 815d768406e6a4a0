export { RecordFiles, type RecordSource, type RecordSources } from "./files.ts";
export { isRecordTable, RECORD_TABLE_NAMES, RECORD_TABLES, type RecordTable } from "./tables.ts";
