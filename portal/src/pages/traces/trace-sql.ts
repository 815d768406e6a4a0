import { type SqlRow, numberOf, objectOf, textOf } from "../../kit/chart-rows.ts";
import type { Span } from "./trace-tree.ts";

export const SPANS_MAX = 20_000;

export interface TraceFilter {
  readonly service: string;
  readonly name: string;
  /** Least duration in milliseconds. */
  readonly leastMs: number;
  readonly errorsOnly: boolean;
  readonly order: "newest" | "slowest";
  readonly projectId: string | null;
}

export interface Statement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string | number>>;
}

const IS_ERROR = "status NOT IN ('ok', 'unset', '')";
const DURATION = "max(epoch_us(timestamp) / 1000 + duration_ms) - min(epoch_us(timestamp) / 1000)";

/**
 * Returns a statement for the traces with spans in the range. A trace matches by the service or name of any span, not
 * only of the root.
 */
export function listStatement(filter: TraceFilter): Statement {
  const { columns, from, parameters } = partsOf(filter);
  return {
    sql: `SELECT ${columns}, count(*) AS spans,
  count_if(${IS_ERROR}) AS errors, count(DISTINCT service) AS services,
  coalesce(arg_min(name, timestamp) FILTER (WHERE coalesce(parent_span_id, '') = ''), arg_min(name, timestamp)) AS root,
  coalesce(arg_min(service, timestamp) FILTER (WHERE coalesce(parent_span_id, '') = ''), arg_min(service, timestamp)) AS service,
  count(*) OVER () AS total
${from}
ORDER BY ${filter.order === "slowest" ? "lasted_ms DESC, trace_id" : "started DESC, trace_id"}`,
    parameters,
  };
}

/** Returns a statement for when the traces of the list began and how long they lasted. */
export function foundStatement(filter: TraceFilter): Statement {
  const { columns, from, parameters } = partsOf(filter);
  return { sql: `SELECT ${columns}\n${from}`, parameters };
}

function partsOf(filter: TraceFilter): { columns: string; from: string; parameters: Statement["parameters"] } {
  const having = [
    filter.service !== "" && "bool_or(service = $service)",
    filter.name !== "" && "bool_or(contains(lower(name), lower($name)))",
    filter.leastMs > 0 && `${DURATION} >= $least`,
    filter.errorsOnly && `count_if(${IS_ERROR}) > 0`,
  ].filter((condition) => condition !== false);
  return {
    columns: `trace_id, min(timestamp) AS started, ${DURATION} AS lasted_ms`,
    from: `FROM traces${filter.projectId === null ? "" : " WHERE project_id = $project"}
GROUP BY trace_id${having.length === 0 ? "" : ` HAVING ${having.join(" AND ")}`}`,
    parameters: {
      ...(filter.service === "" ? {} : { service: filter.service }),
      ...(filter.name === "" ? {} : { name: filter.name }),
      ...(filter.leastMs > 0 ? { least: filter.leastMs } : {}),
      ...(filter.projectId === null ? {} : { project: filter.projectId }),
    },
  };
}

/**
 * Returns a statement for one trace. It has no time range: by the trace id, the store skips all files without this
 * trace.
 */
export function traceStatement(traceId: string): Statement {
  return {
    sql: `SELECT epoch_us(timestamp) AS started_us, span_id, parent_span_id, name, kind, service, status, duration_ms, attributes, project_id
FROM traces WHERE trace_id = $trace ORDER BY timestamp LIMIT ${SPANS_MAX}`,
    parameters: { trace: traceId },
  };
}

export function servicesStatement(projectId: string | null): Statement {
  return {
    sql: `SELECT service, count(*) AS spans FROM traces WHERE service IS NOT NULL${projectId === null ? "" : " AND project_id = $project"}
GROUP BY service ORDER BY spans DESC LIMIT 200`,
    parameters: projectId === null ? {} : { project: projectId },
  };
}

export function spanOf(row: SqlRow): Span {
  return {
    spanId: textOf(row, "span_id"),
    parentId: textOf(row, "parent_span_id"),
    name: textOf(row, "name"),
    service: textOf(row, "service"),
    kind: textOf(row, "kind"),
    status: textOf(row, "status"),
    startMs: numberOf(row, "started_us") / 1000,
    durationMs: Math.max(0, numberOf(row, "duration_ms")),
    attributes: objectOf(row, "attributes"),
  };
}

export interface TraceSummary {
  readonly traceId: string;
  readonly started: string;
  readonly lastedMs: number;
  readonly spans: number;
  readonly errors: number;
  readonly services: number;
  readonly root: string;
  readonly service: string;
}

export function summaryOf(row: SqlRow): TraceSummary {
  return {
    traceId: textOf(row, "trace_id"),
    started: textOf(row, "started"),
    lastedMs: numberOf(row, "lasted_ms"),
    spans: numberOf(row, "spans"),
    errors: numberOf(row, "errors"),
    services: numberOf(row, "services"),
    root: textOf(row, "root"),
    service: textOf(row, "service"),
  };
}
