import { axisText } from "../../kit/bars-steps.ts";
import { LEVELS } from "./levels.ts";

/** The levels in a bar, from bottom to top. The most severe level is at the bottom, where it is most visible. */
export const STACK = [...LEVELS.map(({ id }) => id), "other"] as const;

export interface Histogram {
  readonly step: number;
  readonly starts: readonly number[];
  readonly bars: readonly { readonly short: string; readonly label: string; readonly values: readonly number[] }[];
  readonly total: number;
}

interface Row {
  readonly moment: string;
  readonly level_name: string;
  readonly n: number | string;
}

/** Returns a bar for every step of the range, including empty ones. */
export function histogramOf(
  rows: readonly Row[],
  { steps, step }: { steps: readonly number[]; step: number },
): Histogram {
  const values = new Map(steps.map((at) => [at, STACK.map(() => 0)]));
  let total = 0;
  for (const { moment, level_name, n } of rows) {
    const which = STACK.findIndex((id) => id === level_name);
    const counts = values.get(Date.parse(moment));
    total += Number(n);
    if (counts !== undefined) counts[which < 0 ? STACK.length - 1 : which] = Number(n);
  }
  const bars = steps.map((at) => ({
    short: axisText(at, step),
    label: `${new Date(at).toISOString().slice(0, 10)} ${axisText(at, Math.min(step, 3_600_000))}`,
    values: values.get(at) ?? [],
  }));
  return { step, starts: steps, bars, total };
}

/** Returns the time range of selected bars. */
export function rangeOfBars(
  { starts, step }: Histogram,
  first: number,
  last: number,
): { from: string; to: string } | null {
  const [from, to] = [starts[first], starts[last]];
  if (from === undefined || to === undefined) return null;
  return { from: new Date(from).toISOString(), to: new Date(to + step).toISOString() };
}
