import type { ALERT_ROUTES, ResultOf } from "@mooring/contract";
import type { ChartData, ChartEvent } from "../../kit/chart/model.ts";

type Evaluation = ResultOf<typeof ALERT_ROUTES.listAlertEvaluations>["items"][number];

/** Returns the chart of the evaluated values, oldest first. An evaluation without a value is a gap. */
export function valuesOf(evaluations: readonly Evaluation[], label: string): ChartData {
  const rising = evaluations.toReversed();
  return {
    times: rising.map(({ at }) => Date.parse(at) / 1000),
    series: [{ label, values: rising.map(({ value }) => value) }],
  };
}

/** Returns the times in which the alert fired. It fires until the next evaluation with another state. */
export function firingOf(evaluations: readonly Evaluation[]): readonly ChartEvent[] {
  const rising = evaluations.toReversed();
  const events: { kind: "alert"; fromS: number; toS: number; level: "error" }[] = [];
  rising.forEach(({ at, state }, index) => {
    if (state !== "firing") return;
    const fromS = Date.parse(at) / 1000;
    const toS = Date.parse(rising[index + 1]?.at ?? at) / 1000;
    const before = events.at(-1);
    if (before?.toS === fromS) before.toS = toS;
    else events.push({ kind: "alert", fromS, toS, level: "error" });
  });
  return events;
}
