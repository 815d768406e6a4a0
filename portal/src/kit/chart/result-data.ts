import { cellText, kindOf } from "../grid-values.ts";

interface Column {
  readonly name: string;
  readonly type: string;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * The columns of a result that a chart can show: an axis, numbers, and optionally a column that splits them into
 * series.
 */
export interface Chartable {
  readonly x: string;
  readonly isTime: boolean;
  readonly values: readonly string[];
  readonly split: string | null;
}

/** The input of every chart: numbers at positions. */
export interface Drawn {
  /** Times in milliseconds, or names of categories. */
  readonly positions: readonly (number | string)[];
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  /** The number of rows that were left out. */
  readonly left: number;
}

const CATEGORIES_MAX = 1000;
/** The chart adds up the series that it can't draw separately. Beyond this number, they are not even read. */
const SERIES_MAX = 1000;

/** Chooses the first time column, or else the first text column, with all number columns. Null: nothing to draw. */
export function chartableOf(columns: readonly Column[]): Chartable | null {
  const of = (kind: string): string[] => columns.filter(({ type }) => kindOf(type) === kind).map(({ name }) => name);
  const [times, texts, numbers] = [of("time"), [...of("text"), ...of("boolean")], of("number")];
  const x = times[0] ?? texts[0];
  if (x === undefined || numbers.length === 0) return null;
  const isTime = times.length > 0;
  const split = (isTime ? texts[0] : texts[1]) ?? null;
  return { x, isTime, values: numbers, split };
}

/**
 * Turns rows into series. If a column splits them, only the first number is drawn, with one series for each name, the
 * greatest first.
 */
export function drawnOf(rows: readonly Row[], { x, isTime, values, split }: Chartable): Drawn {
  const positions = positionsOf(rows, { x, isTime });
  const at = new Map(positions.map((position, index) => [position, index]));
  const series = new Map<string, (number | null)[]>();
  let left = 0;
  for (const row of rows) {
    const index = at.get(positionOf(row[x], isTime));
    if (index === undefined) {
      left++;
      continue;
    }
    for (const value of split === null ? values : values.slice(0, 1)) {
      const name = split === null ? value : cellText(row[split]);
      const numbers = series.get(name) ?? positions.map(() => null);
      if (series.size >= SERIES_MAX && !series.has(name)) {
        left++;
        continue;
      }
      series.set(name, numbers);
      numbers[index] = row[value] === null || row[value] === undefined ? null : Number(row[value]);
    }
  }
  const weighed = [...series].map(([name, numbers]) => ({ name, values: numbers }));
  const sum = (numbers: readonly (number | null)[]): number =>
    numbers.reduce<number>((all, value) => all + Math.abs(value ?? 0), 0);
  const sorted = split === null ? weighed : weighed.toSorted((a, b) => sum(b.values) - sum(a.values));
  return { positions, series: sorted, left };
}

function positionsOf(rows: readonly Row[], { x, isTime }: { x: string; isTime: boolean }): (number | string)[] {
  const all = [...new Set(rows.map((row) => positionOf(row[x], isTime)))];
  if (!isTime) return all.slice(0, CATEGORIES_MAX);
  return all
    .filter((position) => typeof position === "number" && !Number.isNaN(position))
    .toSorted((a, b) => Number(a) - Number(b));
}

function positionOf(value: unknown, isTime: boolean): number | string {
  if (!isTime) return cellText(value);
  const text = cellText(value);
  return Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
}
