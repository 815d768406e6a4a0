import { USAGE_ROUTES } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useMe, useOrganization } from "~/app/scope.ts";
import { BarList } from "~/kit/chart/bar-list.tsx";
import { Button } from "~/kit/button.tsx";
import { Chart } from "~/kit/chart/chart.tsx";
import { messageOf } from "~/kit/error-note.tsx";
import { SelectField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { Loaded, Section } from "~/kit/page.tsx";
import { saveFile } from "~/kit/save.ts";
import { useNow } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import {
  barsOf,
  chartOf,
  firstDayOf,
  MEASURE_NAMES,
  MEASURES,
  PERIODS,
  type DailyUsage,
  type MeasureName,
  type Period,
} from "./history.ts";

const ROWS_MAX = 5000;
const HOUR_MS = 3_600_000;

/** The usage of each day, and its sums by project and credential. */
export function History(): ReactNode {
  const [period, setPeriod] = useState<Period>("30");
  const [measure, setMeasure] = useState<MeasureName>("requests");
  const nowMs = useNow(HOUR_MS).getTime();
  const from = firstDayOf(Number(period), nowMs);
  const { title, unit } = MEASURES[measure];
  const days = useRead(USAGE_ROUTES.listDailyUsage, { query: { from, group_by: "service", limit: ROWS_MAX } });
  return (
    <Section
      title="History"
      about="by UTC day; the last seconds may be missing, and stored bytes are measured each hour"
      actions={<CsvButton from={from} />}
    >
      <div className="flex flex-wrap gap-3">
        <SelectField label="Period" value={period} onChange={(event) => setPeriod(event.target.value as Period)}>
          {Object.entries(PERIODS).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </SelectField>
        <SelectField label="Show" value={measure} onChange={(event) => setMeasure(event.target.value as MeasureName)}>
          {MEASURE_NAMES.map((name) => (
            <option key={name} value={name}>
              {MEASURES[name].title}
            </option>
          ))}
        </SelectField>
      </div>
      <Chart
        label={`${title} by day and service`}
        mark="stack"
        unit={unit}
        heightPx={160}
        data={days.data === undefined ? undefined : chartOf(days.data.items, measure, from, nowMs)}
        error={days.error}
        onRetry={() => void days.refetch()}
        empty="Nothing was used in this period"
      />
      <div className="grid gap-6 md:grid-cols-2">
        <Breakdown by="project" {...{ from, measure }} />
        <Breakdown by="credential" {...{ from, measure }} />
      </div>
    </Section>
  );
}

function Breakdown({
  by,
  from,
  measure,
}: {
  by: "project" | "credential";
  from: string;
  measure: MeasureName;
}): ReactNode {
  const projects = useMe()?.projects ?? [];
  const query = { from, group_by: by, total: true, limit: ROWS_MAX } as const;
  const sums = useRead(USAGE_ROUTES.listDailyUsage, { query });
  const nameOf = (row: DailyUsage): string => {
    if (by === "credential") return visibleText(row.credential_name ?? row.credential_id ?? "people and others");
    const project = projects.find(({ id }) => id === row.project_id);
    return visibleText(project?.name ?? row.project_id ?? "no project");
  };
  const isStored = measure === "bytes_stored";
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <h3>{by === "project" ? "By project" : "By credential"}</h3>
      {isStored && by === "credential" ? (
        <p className="text-ink-2">Stored bytes belong to a project, not to a credential.</p>
      ) : (
        <Loaded result={sums}>
          {({ items }) => {
            const rows = barsOf(items, measure, nameOf);
            return rows.length === 0 ? (
              <p className="text-ink-2">Nothing was used in this period.</p>
            ) : (
              <BarList label={`${MEASURES[measure].title} by ${by}`} unit={MEASURES[measure].unit} rows={rows} />
            );
          }}
        </Loaded>
      )}
    </div>
  );
}

function CsvButton({ from }: { from: string }): ReactNode {
  const { client, slug } = useOrganization();
  const say = useSay();
  const save = async (): Promise<void> => {
    try {
      const response = await client.send({
        purpose: "export the usage",
        url: `${client.addresses.identity_url}${USAGE_ROUTES.listDailyUsage.path}?from=${from}&group_by=all`,
        headers: { accept: "text/csv" },
      });
      saveFile(`usage-${slug}-from-${from}.csv`, await response.blob());
    } catch (error) {
      say(error instanceof Error ? messageOf(error) : "The export was interrupted", "stop");
    }
  };
  return <Button onClick={() => void save()}>Export CSV</Button>;
}
