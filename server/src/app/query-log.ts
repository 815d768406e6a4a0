import { isoFromMs, isoFromUs } from "#kernel/time.ts";
import type { QueryEvent, TelemetryStore } from "#stores/telemetry/index.ts";

/** A statement of control characters is six times as long as JSON, and a row of the spool may have 64 KiB. */
const STATEMENT_JSON_CHARS_MAX = 48 * 1024;
const STATEMENT_CHARS_MIN = 8 * 1024;
const YEAR_10000_US = 253_402_300_800_000_000;

/** Writes a row of `query_log` for each statement that ends, before the end of its answer. */
export function recordQueries(telemetry: Pick<TelemetryStore, "queries" | "policy" | "record">): void {
  telemetry.queries.onEnd((event) => {
    if (telemetry.policy(event.orgId).queryLog) telemetry.record("query_log", event.orgId, queryRowOf(event));
  });
}

/** Returns a row of `query_log` as JSON. Absent members are NULL. */
export function queryRowOf(event: QueryEvent): string {
  const { origin, fromUs, toUs, filesRead, filesSkipped } = event;
  return JSON.stringify({
    timestamp: isoFromMs(event.askedAtMs),
    id: event.id,
    state: event.state,
    code: event.code ?? undefined,
    detail: event.detail?.toWellFormed(),
    cancelled_by: event.cancelledBy ?? undefined,
    actor_kind: origin.actor.kind,
    actor_id: origin.actor.id,
    surface: origin.surface,
    saved_query_id: origin.savedQueryId,
    statement: shortened(event.sql.toWellFormed()),
    statement_hash: event.sqlHash,
    tables: event.tables,
    time_from: timeOf(fromUs),
    time_to: timeOf(toUs),
    elapsed_ms: event.elapsedMs,
    wait_ms: event.waitMs,
    plan_ms: event.planMs,
    run_ms: event.runMs,
    send_ms: event.sendMs,
    rows_read: event.rowsRead,
    bytes_read: event.bytesRead,
    files_read: filesRead,
    files_total: filesRead + filesSkipped,
    blocks_skipped: filesSkipped,
    rows_out: event.rowsOut,
    bytes_out: event.bytesOut,
    memory_peak_bytes: event.memoryPeakBytes,
    slow: event.slow,
    request_id: origin.requestId ?? undefined,
  });
}

/** Times before 1970 and after the year 9999 are not shown. */
function timeOf(us: number | null): string | undefined {
  return us === null || us < 0 || us >= YEAR_10000_US ? undefined : isoFromUs(us);
}

function shortened(sql: string): string {
  if (sql.length <= STATEMENT_CHARS_MIN || JSON.stringify(sql).length <= STATEMENT_JSON_CHARS_MAX) return sql;
  return sql.slice(0, STATEMENT_CHARS_MIN).toWellFormed();
}
