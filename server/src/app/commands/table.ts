import { printable } from "./printable.ts";

/** A column in an answer of the query API. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  /** Its cells are never cut, for example ids, which people copy. */
  readonly isWhole?: boolean;
}

const NUMERIC = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DOUBLE|FLOAT|DECIMAL.*)$/;
/** Columns are not made narrower than this. */
const CELL_CHARS_MIN = 8;
const GAP = "  ";

/** Aligns rows as text, at most `widthMax` wide if cutting cells allows it. Numbers are right-aligned. */
export function tableText(
  columns: readonly TableColumn[],
  rows: readonly Readonly<Record<string, unknown>>[],
  widthMax: number,
): string {
  const cells = rows.map((row) => columns.map((column) => cellText(row[column.name])));
  const natural = columns.map((column, i) =>
    Math.max(displayWidth(column.name), ...cells.map((row) => displayWidth(row[i] ?? "")), 1),
  );
  const right = columns.map((column) => NUMERIC.test(column.type));
  // A cut number or time would be wrong, so these are never cut.
  const whole = columns.map(
    (column, i) => right[i] === true || column.isWhole === true || /^(?:TIME|DATE|BOOL)/.test(column.type),
  );
  const widths = fitted(natural, whole, widthMax - GAP.length * (columns.length - 1));
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) => padded(text, widths[i] ?? 0, right[i] === true))
      .join(GAP)
      .trimEnd();
  const head = line(columns.map((column) => printable(column.name)));
  return `${[head, widths.map((width) => "-".repeat(width)).join(GAP), ...cells.map(line)].join("\n")}\n`;
}

/** Returns the width of the terminal. Other outputs, and terminals without a width (0), have no limit. */
export function terminalWidth(): number {
  return process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : Number.MAX_SAFE_INTEGER;
}

/** Builds a table for the terminal. `names` are the names and headers of its columns. */
export function textTable(names: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = names.map((name) => ({ name, type: "VARCHAR" }));
  return tableText(columns, rows, terminalWidth());
}

/** Formats a value. NULL differs from an empty text. Objects and lists are JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "NULL";
  return printable(typeof value === "string" ? value : JSON.stringify(value));
}

/** Narrows the widest columns that may be cut, one character at a time, until the sum fits. */
function fitted(natural: readonly number[], whole: readonly boolean[], widthMax: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - widthMax;
  // One cell can have megabytes, so text far wider than any terminal is cut at once.
  for (const [i, width] of widths.entries()) {
    if (whole[i] === true || width <= widthMax || excess <= 0) continue;
    widths[i] = Math.max(CELL_CHARS_MIN, widthMax);
    excess -= width - (widths[i] ?? 0);
  }
  while (excess > 0) {
    const cuttable = widths.map((width, i) => (whole[i] === true ? 0 : width));
    const widest = Math.max(...cuttable);
    if (widest <= CELL_CHARS_MIN) break;
    widths[cuttable.lastIndexOf(widest)] = widest - 1;
    excess--;
  }
  return widths;
}

function padded(text: string, width: number, right: boolean): string {
  const shown = cut(text, width);
  const space = " ".repeat(Math.max(0, width - displayWidth(shown)));
  return right ? space + shown : shown + space;
}

function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = "";
  let keptWidth = 0;
  for (const char of text) {
    const charWidth = displayWidth(char);
    if (keptWidth + charWidth > width - 1) break;
    kept += char;
    keptWidth += charWidth;
  }
  return `${kept}…`;
}

const PLAIN = /^[\u0020-\u007e…]*$/;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NARROW = /\p{Mark}|\u200d|\ufe0f/u;

/** Returns the number of terminal columns of a text. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += NARROW.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return width;
}
