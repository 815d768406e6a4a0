import { useMemo, type ReactNode } from "react";
import { useSql } from "~/kit/chart-query.ts";
import { drawnRange, type ChartRange } from "~/kit/chart-range.tsx";
import { Chart } from "~/kit/chart/chart.tsx";
import { stepMs } from "~/kit/chart/time-steps.ts";
import { countText } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { durationsOf, durationsSql } from "./durations.ts";
import { foundStatement, type TraceFilter } from "./trace-sql.ts";

const COLUMNS_MAX = 80;
const HEIGHT_PX = 132;

/** How long the traces of the list lasted: by time as a heat map, and altogether as a histogram. */
export function DurationCharts({ filter, range }: { filter: TraceFilter; range: ChartRange }): ReactNode {
  const [fromMs, toMs] = [range.fromS * 1000, range.toS * 1000];
  const step = stepMs(fromMs, toMs, COLUMNS_MAX);
  const { sql, parameters } = foundStatement(filter);
  const result = useSql({
    sql: durationsSql(sql),
    parameters: { ...parameters, step_ms: step },
    limit: 10_000,
    ...range.bounds,
  });
  const { data: answer, error, isFetching } = result;
  const durations = useMemo(
    () => (answer === undefined ? undefined : durationsOf(answer.rows, { fromMs, toMs, stepMs: step })),
    [answer, fromMs, toMs, step],
  );
  const isEmpty = durations?.traces === 0;
  const state = { error, isFetching, onRetry: range.refresh, heightPx: HEIGHT_PX };
  if (isEmpty) return null;
  return (
    <Section
      title="Durations"
      about={durations === undefined ? "" : `of ${countText(durations.traces)} traces, on a logarithmic scale`}
    >
      <div className="grid gap-x-8 gap-y-3 lg:grid-cols-2">
        <Chart
          label="Traces by time and duration"
          mark="heat"
          data={durations?.heat}
          rowTexts={durations?.rowTexts ?? []}
          range={[range.fromS, range.toS]}
          onRange={(fromS, toS) => range.setRange(drawnRange(fromS, toS))}
          {...state}
        />
        <Chart
          label="Traces by duration"
          mark="bars"
          axis={{ kind: "log", unit: "milliseconds" }}
          data={durations?.histogram}
          places={durations?.places ?? []}
          {...state}
        />
      </div>
    </Section>
  );
}
