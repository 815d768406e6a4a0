import { isPromotable } from "../../columns.ts";

/** The most attributes with a separate column in one file. */
export const PROMOTED_MAX = 16;
export const SAMPLE_ROWS = 4096;
export const SAMPLE_FILES_MAX = 16;
export const SAMPLE_ROW_BYTES_MAX = 16 * 1024;

/** With fewer rows, frequent attributes cannot be recognized. */
const SAMPLE_ROWS_MIN = 100;
const SHARE_MIN = 0.05;
const DISTINCT_SHARE_MAX = 0.5;
const VALUE_LENGTH_MAX = 64;

interface KeyUse {
  rows: number;
  length: number;
  readonly values: Set<string>;
}

/**
 * Chooses the keys that get a column: first the keys that queries use, then keys in many rows with short, repeated
 * values. `sample` has the attributes of some rows as JSON text, empty if a row has none.
 */
export function choosePromoted(sample: readonly string[], asked: readonly string[]): string[] {
  const chosen = asked.filter(isPromotable).slice(0, PROMOTED_MAX);
  if (sample.length < SAMPLE_ROWS_MIN) return chosen;
  const frequent = [...usesIn(sample)]
    .filter(([key, use]) => isPromotable(key) && !chosen.includes(key) && isWorthIt(use, sample.length))
    .toSorted(([a, first], [b, second]) => second.rows - first.rows || (a < b ? -1 : 1));
  return [...chosen, ...frequent.map(([key]) => key)].slice(0, PROMOTED_MAX);
}

function isWorthIt({ rows, length, values }: KeyUse, sampled: number): boolean {
  return rows >= sampled * SHARE_MIN && values.size <= rows * DISTINCT_SHARE_MAX && length <= rows * VALUE_LENGTH_MAX;
}

function usesIn(sample: readonly string[]): Map<string, KeyUse> {
  const uses = new Map<string, KeyUse>();
  for (const text of sample) {
    for (const [key, value] of membersOf(text)) {
      const use = uses.get(key) ?? { rows: 0, length: 0, values: new Set() };
      const shown = typeof value === "string" ? value : JSON.stringify(value);
      use.rows += 1;
      use.length += shown.length;
      use.values.add(shown);
      uses.set(key, use);
    }
  }
  return uses;
}

function membersOf(text: string): [string, unknown][] {
  if (text === "") return [];
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  } catch {
    // DuckDB accepts some JSON that this parser refuses. One row of a sample does not matter.
    return [];
  }
}

/** Returns some of the items, evenly spread. */
export function spread<T>(items: readonly T[], countMax: number): T[] {
  const step = Math.max(1, items.length / countMax);
  const picked: T[] = [];
  for (let at = 0; at < items.length && picked.length < countMax; at += step)
    picked.push(...items.slice(Math.floor(at), Math.floor(at) + 1));
  return picked;
}
