import { isObject } from "../gate/refusal.ts";

/** One step of a plan. Its children are the steps whose rows it reads. */
export interface PlanStep {
  readonly operator: string;
  /** The engine's details of the step: conditions, columns, estimates. */
  readonly info: Readonly<Record<string, unknown>>;
  /** Figures of an executed plan: returned rows, read rows, and the time of all threads in the step. */
  readonly rows?: number;
  readonly rows_scanned?: number;
  readonly elapsed_ms?: number;
  readonly children: readonly PlanStep[];
}

/** Members that contain paths of files. The caller must not see them. */
const PATH_MEMBERS = /file ?name|path/i;

/**
 * Reads the result of `EXPLAIN (FORMAT json)` or `EXPLAIN (ANALYZE, FORMAT json)`. `scrubbed` removes text that the caller
 * must not see.
 */
export function readPlan(json: string, scrubbed: (text: string) => string): PlanStep | null {
  const parsed: unknown = JSON.parse(json);
  const [root] = Array.isArray(parsed) ? (parsed as unknown[]) : rootsOf(parsed);
  return isObject(root) ? stepOf(root, scrubbed) : null;
}

/** Skips the two outer steps of an executed plan: the query and EXPLAIN. */
function rootsOf(query: unknown): readonly unknown[] {
  return childrenOf(childrenOf(query)[0]);
}

function childrenOf(node: unknown): readonly unknown[] {
  return isObject(node) && Array.isArray(node["children"]) ? (node["children"] as unknown[]) : [];
}

function stepOf(node: Readonly<Record<string, unknown>>, scrubbed: (text: string) => string): PlanStep {
  const { operator_cardinality: rows, operator_rows_scanned: scanned, operator_timing: seconds } = node;
  return {
    operator: String(node["operator_name"] ?? node["name"]).trim(),
    info: infoOf(node["extra_info"], scrubbed),
    ...(typeof rows === "number" ? { rows } : {}),
    ...(typeof scanned === "number" && scanned > 0 ? { rows_scanned: scanned } : {}),
    ...(typeof seconds === "number" ? { elapsed_ms: Math.round(seconds * 1e6) / 1e3 } : {}),
    children: childrenOf(node)
      .filter(isObject)
      .map((child) => stepOf(child, scrubbed)),
  };
}

function infoOf(info: unknown, scrubbed: (text: string) => string): Record<string, unknown> {
  if (!isObject(info)) return {};
  const shown = Object.entries(info).filter(([name]) => !PATH_MEMBERS.test(name));
  return Object.fromEntries(shown.map(([name, value]) => [scrubbed(name), cleaned(value, scrubbed)]));
}

function cleaned(value: unknown, scrubbed: (text: string) => string): unknown {
  if (typeof value === "string") return scrubbed(value);
  if (Array.isArray(value)) return value.map((each) => cleaned(each, scrubbed));
  return isObject(value) ? infoOf(value, scrubbed) : value;
}

const INFO_CHARS_MAX = 200;

/** Renders the plan as text, one line for each step. The steps that it reads from follow it, indented. */
export function planLines(step: PlanStep | null, depth = 0): string[] {
  if (step === null) return [];
  const { operator, info, rows, rows_scanned: scanned, elapsed_ms: elapsed, children } = step;
  const shown = Object.entries(info).map(([name, value]) => `${name}: ${oneLine(value)}`);
  if (rows !== undefined) shown.push(`rows: ${rows}`);
  if (scanned !== undefined) shown.push(`rows scanned: ${scanned}`);
  if (elapsed !== undefined) shown.push(`ms: ${elapsed}`);
  const line = `${"  ".repeat(depth)}${operator}${shown.length === 0 ? "" : `  (${shown.join("; ")})`}`;
  return [line, ...children.flatMap((child) => planLines(child, depth + 1))];
}

function oneLine(value: unknown): string {
  const text = (typeof value === "string" ? value : JSON.stringify(value)).replaceAll(/\s+/g, " ");
  return text.length <= INFO_CHARS_MAX ? text : `${text.slice(0, INFO_CHARS_MAX)}…`;
}
