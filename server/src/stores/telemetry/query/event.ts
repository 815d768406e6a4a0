import { Problem } from "#kernel/problem.ts";
import type { QueryEvent, SlowReason } from "../types.ts";
import { NO_FIGURES } from "./protocol.ts";
import { shownSql, type RegisteredQuery } from "./registry.ts";
import { hashStatement } from "./statement-hash.ts";
import type { RunOutcome } from "./run.ts";
import { SlotRefusal } from "./slots.ts";

/** A query that takes less time than this is not slow. */
export const SLOW_MS = 1000;
/** A part of the time is a reason if it is at least this share of the whole time. */
const SHARE = 0.3;
const MIB = 1024 * 1024;
const MUCH_BYTES = 256 * MIB;
const MANY_FILES = 200;
/** A query that uses most of its memory is slow because of it. */
const MEMORY_SHARE = 0.8;

const DETAIL_CHARS_MAX = 500;

export interface EndedRun {
  readonly query: RegisteredQuery;
  readonly nowMs: number;
}

/** Describes a query whose child has ended it. */
export function endedEvent({ query, nowMs }: EndedRun, outcome: RunOutcome): QueryEvent {
  const isRefused = outcome.code === "query_scan_limit";
  const isCancelled = outcome.code === "cancelled" || outcome.code === "query_cancelled";
  const state = outcome.code === "ok" ? "done" : isCancelled ? "cancelled" : isRefused ? "refused" : "failed";
  const startedMs = query.startedAtMs ?? query.askedAtMs;
  const base = baseOf({ query, nowMs });
  const runMs = Math.max(0, nowMs - startedMs - outcome.planMs - outcome.sendMs);
  const event = {
    ...base,
    state,
    refusal: isRefused ? "scan_limit" : null,
    code: outcome.code === "ok" ? null : outcome.code === "cancelled" ? "query_cancelled" : outcome.code,
    detail: shownDetail(query, outcome.detail),
    planMs: Math.round(outcome.planMs),
    runMs: Math.round(runMs),
    sendMs: Math.round(outcome.sendMs),
    rowsOut: outcome.rows,
    bytesOut: outcome.bytes,
    memoryPeakBytes: outcome.peakBytes,
  } as const;
  return { ...event, slow: slowReasons(event, query.request.memoryBytesMax) };
}

/** Describes a query that ended before a child ran it. */
export function unstartedEvent(ended: EndedRun, error: unknown): QueryEvent {
  const problem = error instanceof Problem ? error : undefined;
  const state = problem === undefined || problem.code === "query_cancelled" ? "cancelled" : "refused";
  const event = {
    ...baseOf(ended),
    state,
    refusal: state === "cancelled" ? null : problem instanceof SlotRefusal ? problem.reason : "other",
    code: problem?.code ?? "query_cancelled",
    detail: shownDetail(ended.query, problem?.message),
    planMs: 0,
    runMs: 0,
    sendMs: 0,
    rowsOut: 0,
    bytesOut: 0,
    memoryPeakBytes: 0,
  } as const;
  return { ...event, slow: slowReasons(event, ended.query.request.memoryBytesMax) };
}

function baseOf({ query, nowMs }: EndedRun) {
  const { orgId, origin, range = {} } = query.request;
  const { rows, bytes, files, filesTotal } = query.figures ?? NO_FIGURES;
  const asked = Object.values(query.asked.tables);
  const from = asked.map(({ fromUs }) => fromUs ?? -Infinity);
  const to = asked.map(({ toUs }) => toUs ?? Infinity);
  return {
    id: query.id,
    orgId,
    origin,
    sql: shownSql(query.request),
    sqlHash: hashStatement(query.request.sql),
    cancelledBy: query.cancelledBy,
    askedAtMs: query.askedAtMs,
    waitMs: Math.round(query.waitedMs ?? Math.max(0, nowMs - query.askedAtMs)),
    elapsedMs: Math.max(0, nowMs - query.askedAtMs),
    tables: Object.keys(query.asked.tables),
    fromUs: bound(Math.max(range.fromUs ?? -Infinity, Math.min(...from))),
    toUs: bound(Math.min(range.toUs ?? Infinity, Math.max(...to))),
    rowsRead: rows,
    bytesRead: bytes,
    filesRead: files,
    filesSkipped: Math.max(0, filesTotal - files),
  };
}

/** The message of an erasure's statement may quote its values. */
function shownDetail({ request }: RegisteredQuery, detail: string | null | undefined): string | null {
  return request.origin.surface === "erasure" ? null : (detail?.slice(0, DETAIL_CHARS_MAX) ?? null);
}

function bound(us: number): number | null {
  return Number.isFinite(us) ? us : null;
}

/** Returns the main reasons for the time of a query, the longest part first. */
export function slowReasons(event: Omit<QueryEvent, "slow">, memoryBytesMax: number): SlowReason[] {
  const { elapsedMs, waitMs, sendMs, planMs, runMs } = event;
  if (elapsedMs < SLOW_MS) return [];
  const parts: (readonly [ms: number, reasons: readonly SlowReason[]])[] = [
    [waitMs, ["waited"]],
    [sendMs, ["slow_reader"]],
    [planMs + runMs, workReasons(event, memoryBytesMax)],
  ];
  return parts
    .filter(([ms]) => ms >= elapsedMs * SHARE)
    .toSorted(([a], [b]) => b - a)
    .flatMap(([, reasons]) => reasons);
}

function workReasons(event: Omit<QueryEvent, "slow">, memoryBytesMax: number): SlowReason[] {
  const { bytesRead, filesRead, filesSkipped, fromUs, memoryPeakBytes } = event;
  const reasons: SlowReason[] = [];
  if (bytesRead >= MUCH_BYTES) reasons.push("scanned_much");
  if (fromUs === null && filesSkipped === 0 && filesRead > 1) reasons.push("no_range");
  if (filesRead >= MANY_FILES) reasons.push("many_files");
  if (memoryPeakBytes >= memoryBytesMax * MEMORY_SHARE) reasons.push("memory");
  return reasons.length === 0 ? ["computation"] : reasons;
}
