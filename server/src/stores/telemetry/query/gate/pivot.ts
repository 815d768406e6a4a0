import { Tokens, type Token } from "./tokens.ts";

/** Marks a PIVOT that does not list its values. */
export const PIVOT_MARK = "mooring: the values of this pivot";

/** Begins with a line break, because a comment may end where it is inserted. */
const LIST = `\nIN ('${PIVOT_MARK}') `;
const ENDS: ReadonlySet<string> = new Set(["using", "group", "order", "limit", "offset", ";"]);

export interface MarkedPivots {
  readonly sql: string;
  /** The places of the marks: offsets in bytes of the sent statement. */
  readonly places: readonly number[];
}

/**
 * Adds a list with our mark to each `PIVOT … ON expression` without values. Without a list the parser makes no tree. Returns
 * undefined when there is no such PIVOT.
 */
export function withPivotMarks(sql: string): MarkedPivots | undefined {
  const tokens = new Tokens(sql).all();
  const bytes = Buffer.from(sql);
  const found = tokens.flatMap(({ text }, i) => (text === "pivot" ? placesOf(tokens, i, bytes.length) : []));
  if (found.length === 0) return undefined;
  const places = found.toSorted((a, b) => a - b);
  const parts = places.flatMap((at, i) => [bytes.subarray(places[i - 1] ?? 0, at), Buffer.from(LIST)]);
  return { sql: Buffer.concat([...parts, bytes.subarray(places.at(-1))]).toString(), places };
}

/** Maps an offset of the statement with marks to the sent statement. */
export function withoutMarks(at: number, places: readonly number[]): number {
  return places.reduce((place, mark) => (place > mark ? Math.max(mark, place - LIST.length) : place), at);
}

/** Returns the ends of the expressions after ON that have no list. */
function placesOf(tokens: readonly Token[], pivot: number, length: number): number[] {
  let places: number[] = [];
  let depth = 0;
  let isAfterOn = false;
  let hasList = false;
  const close = (at: number): void => {
    if (isAfterOn && !hasList) places.push(at);
    hasList = false;
  };
  for (const { text, at } of tokens.slice(pivot + 1)) {
    if (text === ")") depth -= 1;
    if (depth < 0 || (depth === 0 && ENDS.has(text))) {
      close(at);
      return places;
    }
    if (depth === 0 && text === "on") [isAfterOn, places, hasList] = [true, [], false]; // an earlier ON belongs to a join
    if (depth === 0 && text === ",") close(at);
    hasList ||= depth === 0 && text === "in";
    if (text === "(") depth += 1;
  }
  close(length);
  return places;
}
