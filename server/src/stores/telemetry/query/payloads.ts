import {
  CHILD_PROBLEMS,
  type AskedTable,
  type ChildAsk,
  type ChildEnd,
  type ChildFailure,
  type ChildProblemCode,
} from "./protocol.ts";
import { QUERY_TABLES } from "./tables.ts";

// A child's payload is parsed, and rebuilt from known members only. Text that is not JSON throws.

/** The most attributes that a statement may read from columns. Further attributes are read from the JSON. */
export const ASKED_KEYS_MAX = 64;

export function readAsk(payload: Buffer): ChildAsk {
  const { tables = {} } = JSON.parse(payload.toString()) as Partial<ChildAsk>;
  const known = QUERY_TABLES.filter(({ name }) => Object.hasOwn(tables, name));
  return { tables: Object.fromEntries(known.map(({ name }) => [name, readTable(tables[name])])) };
}

function readTable(table: Partial<AskedTable> = {}): AskedTable {
  const { fromUs, toUs, keys, latest } = table;
  const texts = Array.isArray(keys) ? (keys as unknown[]).filter((key) => typeof key === "string") : [];
  return {
    ...(Number.isFinite(fromUs) ? { fromUs } : {}),
    ...(Number.isFinite(toUs) ? { toUs } : {}),
    keys: texts.slice(0, ASKED_KEYS_MAX),
    ...(Number.isSafeInteger(latest) ? { latest } : {}),
  };
}

export function readEnd(payload: Buffer): ChildEnd {
  const { rows, truncated, elapsedMs } = JSON.parse(payload.toString()) as Partial<ChildEnd>;
  return {
    rows: Number.isSafeInteger(rows) ? Number(rows) : 0,
    truncated: truncated === true,
    elapsedMs: Number.isFinite(elapsedMs) ? Number(elapsedMs) : 0,
  };
}

export function readFailure(payload: Buffer): ChildFailure {
  const { code, detail, position, told, doubt } = JSON.parse(payload.toString()) as Partial<ChildFailure>;
  const known = CHILD_PROBLEMS.find((each): each is ChildProblemCode => each === code);
  return {
    code: known ?? "query_failed",
    detail: String(detail),
    ...(isPosition(position) ? { position: { line: position.line, column: position.column } } : {}),
    told: told === true,
    doubt: doubt === true || known === undefined,
  };
}

function isPosition(value: ChildFailure["position"]): value is NonNullable<ChildFailure["position"]> {
  return Number.isSafeInteger(value?.line) && Number.isSafeInteger(value?.column);
}
