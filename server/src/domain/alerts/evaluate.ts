import type { Readable } from "node:stream";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { QueryParameter, TelemetryStore } from "#stores/telemetry/index.ts";
import {
  CANNOT_EVALUATE,
  type AlertFault,
  type AlertSettings,
  type Condition,
  type Operator,
  type Outcome,
} from "./model.ts";
import { rightsOf, visibleToAll } from "./rights.ts";
import type { Alert } from "./store.ts";

export interface EvaluateDeps {
  readonly metadata: MetadataStore;
  readonly telemetry: Pick<TelemetryStore, "query">;
}

/** The times of `$from` and `$to`, in milliseconds since the epoch. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The most rows that an evaluation counts. A threshold must be lower. */
export const ROWS_MAX = 10_000;
const RESULT_BYTES_MAX = 4 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
const MEMORY_BYTES_MAX = 256 * 1024 * 1024;

export function windowOf(settings: AlertSettings, nowMs: number): Window {
  return { fromMs: nowMs - (settings.window_s ?? settings.every_s) * 1000, toMs: nowMs };
}

/**
 * Runs the alert's query on the window, with the current permissions. Rejects only when `signal` is aborted or the
 * records can't be read.
 */
export async function evaluate(
  deps: EvaluateDeps,
  alert: Alert,
  settings: AlertSettings,
  options: { readonly window: Window; readonly signal: AbortSignal },
): Promise<Outcome> {
  const { window, signal } = options;
  const rights = await rightsOf(deps, alert, window.toMs);
  if ("fault" in rights) return { kind: "stopped", fault: rights.fault };
  const counts = settings.condition.column === undefined;
  try {
    const run = await deps.telemetry.query({
      orgId: alert.org_id,
      origin: {
        actor: { kind: "alert", id: alert.id },
        surface: "alert",
        requestId: null,
        savedQueryId: alert.query_id,
        projectId: alert.project_id,
      },
      visible: () => visibleToAll(deps, rights.principals),
      sql: alert.sql,
      parameters: parametersFor(alert, window),
      format: "json",
      timeoutMs: TIMEOUT_MS,
      memoryBytesMax: MEMORY_BYTES_MAX,
      rowsMax: counts ? ROWS_MAX : 1,
      truncate: true,
      signal,
    });
    return judge(settings.condition, JSON.parse(await boundedText(run.body)) as Result);
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "error", fault: faultOf(error) };
  }
}

/** Returns the saved values, and the times of the window if the statement has parameters for them. */
function parametersFor(alert: Alert, window: Window): readonly QueryParameter[] | Record<string, QueryParameter> {
  const saved = JSON.parse(alert.parameters) as readonly QueryParameter[] | Record<string, QueryParameter>;
  if (Array.isArray(saved)) return saved as readonly QueryParameter[];
  const names = JSON.parse(alert.parameter_names) as string[];
  const bounds = { from: isoFromMs(window.fromMs), to: isoFromMs(window.toMs) };
  const asked = Object.entries(bounds).filter(([name]) => names.includes(name));
  return { ...(saved as Record<string, QueryParameter>), ...Object.fromEntries(asked) };
}

/** Returns the parameters that would have no value in an evaluation. */
export function missingParameters(query: { parameters: string; parameter_names: string }): string[] {
  const saved = JSON.parse(query.parameters) as object;
  const given = Array.isArray(saved) ? saved.map((_value, i) => String(i + 1)) : ["from", "to", ...Object.keys(saved)];
  return (JSON.parse(query.parameter_names) as string[]).filter((name) => !given.includes(name));
}

interface Result {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly row_count: number;
  readonly columns: readonly { readonly name: string }[];
  readonly error?: AlertFault;
}

function judge(condition: Condition, result: Result): Outcome {
  if (result.error !== undefined) return { kind: "error", fault: result.error };
  const { column } = condition;
  if (column === undefined) return compared(condition, result.row_count);
  if (!result.columns.some(({ name }) => name === column))
    return failed("column_missing", `the result has no column ${column}`);
  const cell = result.rows[0]?.[column] ?? null;
  if (cell === null) return { kind: "no_data" };
  const value = numberOf(cell);
  if (!Number.isFinite(value)) return failed("not_a_number", `the first row's ${column} is not a number`);
  return compared(condition, value);
}

/** Reads a number. In the result, numbers that a double can't hold exactly are text. */
function numberOf(cell: unknown): number {
  if (typeof cell === "number") return cell;
  return typeof cell === "string" && cell.trim() !== "" ? Number(cell) : Number.NaN;
}

const HOLDS: Readonly<Record<Operator, (value: number, threshold: number) => boolean>> = {
  ">": (value, threshold) => value > threshold,
  ">=": (value, threshold) => value >= threshold,
  "<": (value, threshold) => value < threshold,
  "<=": (value, threshold) => value <= threshold,
  "==": (value, threshold) => value === threshold,
  "!=": (value, threshold) => value !== threshold,
};

function compared({ operator, threshold }: Condition, value: number): Outcome {
  return { kind: HOLDS[operator](value, threshold) ? "true" : "false", value };
}

function failed(code: string, detail: string): Outcome {
  return { kind: "error", fault: { code, detail } };
}

async function boundedText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > RESULT_BYTES_MAX)
      throw new Problem("query_too_large", `the result has more than ${RESULT_BYTES_MAX} bytes; select fewer columns`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function faultOf(error: unknown): AlertFault {
  if (error instanceof Problem && error.code === CANNOT_EVALUATE)
    return { code: error.code, detail: `Cannot evaluate: ${error.message}` };
  if (error instanceof Problem) return { code: error.code, detail: error.message };
  return { code: "query_failed", detail: "the result could not be read" };
}
