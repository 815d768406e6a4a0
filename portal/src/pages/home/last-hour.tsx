import type { ReactNode } from "react";
import { PageLink } from "~/app/page-link.tsx";
import { useProject } from "~/app/scope.ts";
import { Chart } from "~/kit/chart/chart.tsx";
import { alignPoints } from "~/kit/chart/model.ts";
import { useSql } from "~/kit/chart-query.ts";
import { numberOf, textOf } from "~/kit/chart-rows.ts";
import { countText } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { useNow } from "~/kit/time.tsx";

const MINUTE_MS = 60_000;
const MINUTES = 60;

function sqlOf(where: string): string {
  const of = (table: string, title: string): string =>
    `SELECT '${title}' AS series, floor(epoch(timestamp) / 60) * 60 AS minute, count(*) AS entries FROM ${table} ${where} GROUP BY ALL`;
  return [of("logs", "logs"), of("metrics", "metric points"), of("traces", "spans")].join("\nUNION ALL\n");
}

/** Shows the entries of each of the last 60 minutes. They are read again every minute. */
export function LastHour(): ReactNode {
  const project = useProject();
  const minuteMs = Math.floor(useNow(10_000).getTime() / MINUTE_MS) * MINUTE_MS;
  const fromMs = minuteMs - (MINUTES - 1) * MINUTE_MS;
  const { rows, data, error, refetch } = useSql(
    {
      sql: sqlOf(project === null ? "" : "WHERE project_id = $project"),
      ...(project === null ? {} : { parameters: { project: project.id } }),
      from: new Date(fromMs).toISOString(),
      to: new Date(minuteMs + MINUTE_MS).toISOString(),
    },
    { refetchMs: 15_000 },
  );
  const points = rows.map((row) => ({
    atS: numberOf(row, "minute"),
    series: textOf(row, "series"),
    value: numberOf(row, "entries"),
  }));
  const total = points.reduce((sum, { value }) => sum + value, 0);
  return (
    <Section
      title="Last hour"
      about={data === undefined ? "entries per minute" : `${countText(total)} entries, per minute`}
      actions={<PageLink page="explore">Explore</PageLink>}
    >
      <Chart
        label="Entries per minute in the last hour"
        data={data === undefined ? undefined : alignPoints(withZeros(points, fromMs / 1000), 60)}
        heightPx={132}
        range={[fromMs / 1000, minuteMs / 1000]}
        error={error}
        onRetry={() => void refetch()}
        empty="Nothing arrived in the last hour"
      />
    </Section>
  );
}

interface Point {
  readonly atS: number;
  readonly series: string;
  readonly value: number;
}

/** Adds a zero for each minute without entries, so that the chart has no gaps. */
function withZeros(points: readonly Point[], fromS: number): readonly Point[] {
  const values = new Map(points.map(({ atS, series, value }) => [`${series} ${atS}`, value]));
  return [...new Set(points.map(({ series }) => series))].flatMap((series) =>
    Array.from({ length: MINUTES }, (_, minute) => {
      const atS = fromS + minute * 60;
      return { atS, series, value: values.get(`${series} ${atS}`) ?? 0 };
    }),
  );
}
