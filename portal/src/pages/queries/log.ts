import { SLOW_REASONS } from "@mooring/contract";
import { parsedJson, textOf, type SqlRow } from "../../kit/chart-rows.ts";

/** How far the list of ended statements reaches, in days. */
export const PERIODS = { "1": "the last day", "7": "the last 7 days", "30": "the last 30 days" } as const;
export type Period = keyof typeof PERIODS;

export const ROWS_MAX = 100;

/**
 * Returns the statement for the rows of the query log. The slow ones come with the slowest first, otherwise the newest. Statements
 * that only read the log are left out, because this page sends them.
 */
export function logStatement({ isSlow, period }: { readonly isSlow: boolean; readonly period: Period }): string {
  const slow = isSlow ? "\n  AND elapsed_ms >= 1000" : "";
  const order = isSlow ? "elapsed_ms DESC" : "timestamp DESC, seq DESC";
  return `SELECT id, timestamp, statement, actor_kind, actor_id, state, code, detail, elapsed_ms, wait_ms, plan_ms, run_ms, send_ms, slow, bytes_read, files_read, blocks_skipped\nFROM query_log\nWHERE timestamp > now() - INTERVAL ${period} DAY\n  AND tables::VARCHAR <> '["query_log"]'${slow}\nORDER BY ${order} LIMIT ${ROWS_MAX}`;
}

/** Returns the reasons for the time of a statement, as sentences. */
export function reasonsOf(row: SqlRow): string[] {
  const slow = row["slow"];
  const names: unknown = typeof slow === "string" ? parsedJson(slow) : slow;
  if (!Array.isArray(names)) return [];
  const known: Readonly<Record<string, string>> = SLOW_REASONS;
  return names.flatMap((name) => known[String(name)] ?? []);
}

const KINDS = ["credential", "person", "alert"] as const;

export function actorOf(row: SqlRow): { readonly kind: (typeof KINDS)[number]; readonly id: string } {
  const kind = KINDS.find((each) => each === row["actor_kind"]) ?? "credential";
  return { kind, id: textOf(row, "actor_id") };
}
