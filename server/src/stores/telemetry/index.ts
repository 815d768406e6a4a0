export type {
  Batch,
  BatchKey,
  Appended,
  ResultFormat,
  QueryParameter,
  RowLimits,
  VisibleRows,
  QueryActor,
  QueryEvent,
  QueryRefusal,
  SlowReason,
  QueryOrigin,
  QueryRequest,
  RunningQueries,
  RunningQuery,
  StatementDescription,
  QueryRun,
  QueryStatistics,
  TelemetryStore,
  TelemetryHealth,
} from "./types.ts";
export { COLUMNS, SHOWN_COLUMNS, TELEMETRY_TYPES, type Column, type TelemetryType } from "./columns.ts";
export type { TimeRange } from "./snapshot.ts";
export {
  behindDaysOf,
  MATCHABLE,
  choiceOf,
  formerOf,
  isSameChoice,
  predicateSql,
  RULE_MEMBERS,
  type AcceptedTimes,
  type ErasedTable,
  type ErasureMatch,
  type FormerChoice,
  type Policy as TelemetryPolicy,
  type RetentionChoice,
  type RetentionRule,
  type Usage as TelemetryUsage,
} from "./retention/index.ts";
export type { TableName, TakenBatch, TelemetryFeed } from "./feed/types.ts";
export { RECORD_TABLE_NAMES, RECORD_TABLES, type RecordSource, type RecordTable } from "./records/index.ts";
export type { RemoveRecords } from "./record-eraser.ts";
export { isSpoolTable, SPOOL_TABLES, STORED_TABLES, type SpoolTable } from "./spool/tables.ts";
export { ACCESS_LOG_SAMPLE, type AccessLogPolicy } from "./retention/index.ts";
export { FUNCTION_NAMES, TABLE_FUNCTION_NAMES } from "./query/index.ts";
export { giveUp, TELEMETRY_LIVE_MS, telemetryDirectories, type TelemetryDirectory } from "./presence/index.ts";
export { telemetryFiles } from "./backup.ts";
export { countQuarantined } from "./health.ts";
export { openTelemetry, type TelemetryOptions, type TelemetryStoreSettings } from "./embedded.ts";
export {
  arrivingTelemetry,
  leavingTelemetry,
  readMoved,
  type ArrivedTelemetry,
  type ArrivingFile,
  type LeavingTelemetry,
  type MovedFile,
  type MovedRow,
} from "./moving/index.ts";
