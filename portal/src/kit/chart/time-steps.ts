/** Steps of time that people expect. */
const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 604_800_000,
];

/** The origin of DuckDB's `time_bucket`: Monday, 3 January 2000. */
const ORIGIN_MS = Date.UTC(2000, 0, 3);

/** Returns the smallest step that needs at most `barsMax` bars. */
export function stepMs(fromMs: number, toMs: number, barsMax: number): number {
  const last = STEPS_MS.at(-1) ?? 1;
  return (
    STEPS_MS.find((step) => (toMs - fromMs) / step <= barsMax) ?? Math.ceil((toMs - fromMs) / barsMax / last) * last
  );
}

/** Returns the start of the step that contains a moment, as `time_bucket` does. */
export function stepStart(ms: number, step: number): number {
  return Math.floor((ms - ORIGIN_MS) / step) * step + ORIGIN_MS;
}

/** Returns the starts of all steps of a range. */
export function stepsOf(fromMs: number, toMs: number, step: number): number[] {
  const steps: number[] = [];
  for (let at = stepStart(fromMs, step); at < toMs; at += step) steps.push(at);
  return steps;
}
