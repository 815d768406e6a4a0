import type { ReactNode } from "react";
import { useSql } from "~/kit/chart-query.ts";
import { Chart } from "~/kit/chart/chart.tsx";
import { Section } from "~/kit/page.tsx";
import { useNow } from "~/kit/time.tsx";
import { hoursStatement, type Filters } from "./filters.ts";
import { firstHourS, hoursOf } from "./hours.ts";

/** The accesses of the last day that match the filters, by hour and outcome. */
export function HoursChart({ filters, projectId }: { filters: Filters; projectId: string | undefined }): ReactNode {
  const fromS = firstHourS(useNow(60_000).getTime());
  const statement = hoursStatement(filters, projectId);
  const { data, error, refetch } = useSql(
    { ...statement, from: new Date(fromS * 1000).toISOString() },
    { refetchMs: 60_000 },
  );
  return (
    <Section title="Last day" about="accesses by hour and outcome">
      <Chart
        label="Accesses by hour and outcome"
        mark="stack"
        data={data === undefined ? undefined : hoursOf(data.rows, fromS)}
        heightPx={100}
        error={error}
        onRetry={() => void refetch()}
        empty="No access was recorded in the last day"
      />
    </Section>
  );
}
