/** How a column's values are shown and sorted. */
export type ValueKind = "number" | "time" | "boolean" | "object" | "text";

const NUMBERS = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\b.*)$/;

/** Returns the kind of a DuckDB type. */
export function kindOf(type: string): ValueKind {
  if (/\[\d*\]$/.test(type)) return "object";
  if (NUMBERS.test(type)) return "number";
  if (/^(?:TIMESTAMP|DATE|TIME)\b/.test(type) || type.startsWith("TIMESTAMP")) return "time";
  if (type === "BOOLEAN") return "boolean";
  return /^(?:JSON|MAP|STRUCT|UNION|LIST)/.test(type) ? "object" : "text";
}

/** Formats a value on one line for a cell; objects and lists as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

/** Formats a value in full. Objects, lists and JSON texts are indented. */
export function wholeText(value: unknown): string {
  if (typeof value === "string" && /^\s*[[{]/.test(value)) {
    try {
      return JSON.stringify(JSON.parse(value), null, 2);
    } catch {
      return value;
    }
  }
  return typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : cellText(value);
}

/**
 * Compares values in ascending order, NULL last. Numbers that are too large for a number are texts, and are compared as
 * numbers too.
 */
export function compareValues(kind: ValueKind, a: unknown, b: unknown): number {
  const [noA, noB] = [a === null || a === undefined, b === null || b === undefined];
  if (noA || noB) return Number(noA) - Number(noB);
  if (kind === "number") {
    const [numberA, numberB] = [Number(a), Number(b)];
    if (numberA !== numberB || typeof a !== "string" || typeof b !== "string") return numberA - numberB;
    return /^-?\d+$/.test(a) && /^-?\d+$/.test(b) ? Number(BigInt(a) - BigInt(b)) : 0;
  }
  const [textA, textB] = [cellText(a), cellText(b)];
  return textA < textB ? -1 : Number(textA > textB);
}

export interface Order {
  readonly name: string;
  readonly kind: ValueKind;
  readonly desc: boolean;
}

/** Sorts rows by the first of these columns, equal rows by the next. Without columns the order stays. */
export function inOrder<R extends Readonly<Record<string, unknown>>>(
  rows: readonly R[],
  orders: readonly Order[],
): readonly R[] {
  if (orders.length === 0) return rows;
  return rows.toSorted((a, b) => {
    for (const { name, kind, desc } of orders) {
      const order = compareValues(kind, a[name], b[name]);
      if (order !== 0) return desc ? -order : order;
    }
    return 0;
  });
}

const CHARACTER = 8;
const WIDTH_MIN = 72;
const WIDTH_MAX = 420;

/** Returns the width that the name and the first rows need. */
export function startWidth(name: string, texts: readonly string[]): number {
  const longest = Math.max(name.length + 3, ...texts.map((text) => text.length));
  return Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, longest * CHARACTER + 34));
}

/** Formats a row for the clipboard, with tabs between cells, as spreadsheets expect. */
export function rowText(values: readonly unknown[]): string {
  return values
    .map((value) => (value === null || value === undefined ? "" : cellText(value).replaceAll(/[\t\n\r]/g, " ")))
    .join("\t");
}
