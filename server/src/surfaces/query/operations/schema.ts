import type { QUERY_ROUTES, ResultOf } from "@mooring/contract";
import type { Principal } from "#domain/identity/index.ts";
import { visibleProjects } from "#domain/organizations/index.ts";
import { isoFromUs } from "#kernel/time.ts";
import {
  FUNCTION_NAMES,
  isSpoolTable,
  RECORD_TABLES,
  SHOWN_COLUMNS,
  SPOOL_TABLES,
  TABLE_FUNCTION_NAMES,
  TELEMETRY_TYPES,
  type Column,
  type TelemetryType,
  type TelemetryUsage,
} from "#stores/telemetry/index.ts";
import { EXAMPLES } from "../examples.ts";
import type { QueryOperation } from "../deps.ts";
import { mayReadRecords, RECORD_SCOPES, type OwnTable } from "../records.ts";

type Schema = ResultOf<typeof QUERY_ROUTES.getQuerySchema>;
type TableBody = Schema["tables"][number];

const DESCRIPTIONS: Readonly<Record<TelemetryType | OwnTable, string>> = {
  access_log: SPOOL_TABLES.access_log.description,
  query_log: SPOOL_TABLES.query_log.description,
  logs: "log entries",
  metrics: "samples of metrics",
  traces: "spans of traces",
  audit_log: "who did what in the organization",
  webhook_events: "events that webhooks have received",
  images: "container images and artifacts, one row a manifest",
  files: "files that are there",
  objects: "objects of buckets, one row a version",
  usage_daily: "daily usage by project, credential and service",
};

/**
 * `GET /v1/query/schema`: lists tables, columns and functions. Figures and promoted attributes cover all rows, so
 * callers who see only some rows don't get them.
 */
export const getQuerySchema: QueryOperation<"getQuerySchema"> = async (deps, _input, { principal }) => {
  const all = (await visibleProjects(deps.metadata, principal, "telemetry:read")) === "all";
  const usage = all ? deps.store.usage(principal.orgId) : undefined;
  const records = readableRecords(principal);
  return {
    tables: [...TELEMETRY_TYPES.map((type) => telemetryTable(type, usage)), ...records.map(recordTable)],
    functions: [...FUNCTION_NAMES],
    table_functions: [...TABLE_FUNCTION_NAMES],
    examples: EXAMPLES.filter((example) => example.records === undefined || records.includes(example.records)).map(
      ({ title, sql }) => ({ title, sql }),
    ),
  };
};

function readableRecords(principal: Principal): OwnTable[] {
  const names = Object.keys(RECORD_SCOPES) as OwnTable[];
  return names.filter((name) => mayReadRecords(principal, name));
}

function telemetryTable(type: TelemetryType, usage: TelemetryUsage | undefined): TableBody {
  return {
    name: type,
    description: DESCRIPTIONS[type],
    columns: columnBodies(SHOWN_COLUMNS[type]),
    promoted_attributes: [...(usage?.[type].promoted ?? [])],
    figures: usage === undefined ? null : figuresOf(usage[type]),
  };
}

function recordTable(name: OwnTable): TableBody {
  const columns = columnBodies(isSpoolTable(name) ? SPOOL_TABLES[name].columns : RECORD_TABLES[name]);
  return { name, description: DESCRIPTIONS[name], columns, promoted_attributes: [], figures: null };
}

function columnBodies(columns: readonly Column[]): TableBody["columns"] {
  return columns.map(({ name, type, description }) => ({ name, type, description }));
}

function figuresOf({ rows, bytes, oldestUs, newestUs }: TelemetryUsage[TelemetryType]): TableBody["figures"] {
  const iso = (us: number | null): string | null => (us === null ? null : isoFromUs(us));
  return { rows, bytes, oldest: iso(oldestUs), newest: iso(newestUs) };
}
