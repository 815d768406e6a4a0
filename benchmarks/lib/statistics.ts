/** Median, least and greatest of several figures. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly greatest: number;
}

export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? at(sorted, middle) : (at(sorted, middle - 1) + at(sorted, middle)) / 2;
  return { median, least: at(sorted, 0), greatest: at(sorted, sorted.length - 1) };
}

/** Returns the quantile of `figures` at `share`. */
export function quantileOf(figures: readonly number[], share: number): number {
  const sorted = figures.toSorted((a, b) => a - b);
  return at(sorted, Math.min(sorted.length - 1, Math.floor(sorted.length * share)));
}

export function shown(spread: Spread, digits = 0): string {
  const text = (figure: number): string => figure.toLocaleString("en", { maximumFractionDigits: digits });
  return `${text(spread.median)} (${text(spread.least)} to ${text(spread.greatest)})`;
}

function at(sorted: readonly number[], index: number): number {
  const figure = sorted[index];
  if (figure === undefined) throw new Error("no figures");
  return figure;
}
