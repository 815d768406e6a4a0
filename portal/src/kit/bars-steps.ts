/** Steps that people count time in. */
const STEPS_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  900_000, 1_800_000, 3_600_000, 7_200_000, 10_800_000, 21_600_000, 43_200_000, 86_400_000, 604_800_000,
];

/** Where DuckDB's `time_bucket` begins to count: Monday, the third of January 2000. */
const ORIGIN_MS = Date.UTC(2000, 0, 3);

/** The smallest step of which at most `barsMax` fill the time. */
export function stepMs(fromMs: number, toMs: number, barsMax: number): number {
  const last = STEPS_MS.at(-1) ?? 1;
  return (
    STEPS_MS.find((step) => (toMs - fromMs) / step <= barsMax) ?? Math.ceil((toMs - fromMs) / barsMax / last) * last
  );
}

/** The begin of the step that a moment is in, as `time_bucket` counts. */
export function stepStart(ms: number, step: number): number {
  return Math.floor((ms - ORIGIN_MS) / step) * step + ORIGIN_MS;
}

/** The begins of all steps of a range. */
export function stepsOf(fromMs: number, toMs: number, step: number): number[] {
  const steps: number[] = [];
  for (let at = stepStart(fromMs, step); at < toMs; at += step) steps.push(at);
  return steps;
}

/** A time below a chart: as much of it as its step needs. */
export function axisText(ms: number, step: number): string {
  const text = new Date(ms).toISOString();
  if (step >= 86_400_000) return text.slice(5, 10);
  if (step >= 21_600_000) return text.slice(5, 16).replace("T", " ");
  if (step >= 60_000) return text.slice(11, 16);
  return step >= 1000 ? text.slice(11, 19) : text.slice(11, 23);
}
