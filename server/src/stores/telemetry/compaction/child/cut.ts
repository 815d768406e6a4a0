/** The most files of one compaction, because malicious rows may have any number of days. */
export const PIECES_MAX = 32;

const DAY_MS = 86_400_000;

/** Days since the epoch, from `fromDay` to before `toDay`. */
export interface Piece {
  readonly fromDay: number;
  readonly toDay: number;
}

const UNITS: readonly ((day: number) => string)[] = [String, (day) => iso(day, "month"), (day) => iso(day, "year")];

/**
 * Decides how rows of these days (since the epoch, ascending, distinct) are cut into files: by day, or if there would
 * be too many files, by month, by year, or not at all.
 */
export function piecesOf(days: readonly number[]): Piece[] {
  for (const unitOf of UNITS) {
    const pieces = cut(days, unitOf);
    if (pieces.length <= PIECES_MAX) return pieces;
  }
  return cut(days, () => "");
}

function cut(days: readonly number[], unitOf: (day: number) => string): Piece[] {
  return [...Map.groupBy(days, unitOf).values()].map((group) => ({
    fromDay: group[0] ?? 0,
    toDay: (group.at(-1) ?? 0) + 1,
  }));
}

function iso(day: number, unit: "month" | "year"): string {
  return new Date(day * DAY_MS).toISOString().replace(unit === "month" ? /-\d\dT.*$/ : /-\d\d-\d\dT.*$/, "");
}
