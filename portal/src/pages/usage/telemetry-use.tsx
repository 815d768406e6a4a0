import { QUERY_ROUTES, TELEMETRY_SETTINGS_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useMayHere } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { Chart } from "~/kit/chart/chart.tsx";
import type { ChartData } from "~/kit/chart/model.ts";
import { bytesText, countText } from "~/kit/figures.ts";
import { Loaded, Section } from "~/kit/page.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { DAYS, DAYS_SQL, daysOf, firstDay, TYPES, type Day } from "./services.ts";

type TelemetryUsage = ResultOf<typeof TELEMETRY_SETTINGS_ROUTES.getTelemetryUsage>;
type Row = { readonly type: (typeof TYPES)[number] } & TelemetryUsage["types"]["logs"];

/** Shows telemetry by type: the stored bytes, and the rows of each day. */
export function TelemetryUse(): ReactNode {
  const usage = useRead(TELEMETRY_SETTINGS_ROUTES.getTelemetryUsage, {});
  const mayQuery = useMayHere("telemetry:read");
  return (
    <Section title="Telemetry by type" about="On the node that answered. Each node has its own files." flush>
      <Loaded result={usage}>
        {({ types, quota }) => (
          <>
            <Table
              label="Telemetry by type"
              items={TYPES.map((type) => ({ type, ...types[type] }))}
              columns={COLUMNS}
              keyOf={({ type }) => type}
            />
            <p className="border-t border-line px-3.5 py-2 text-ink-2">
              {quota.ingest_bytes_per_second === null
                ? "The rate of telemetry has no limit."
                : `${bytesText(quota.ingest_bytes_per_second)} a second may be sent, and ${bytesText(quota.ingest_bytes_burst ?? 0)} at once.`}
            </p>
          </>
        )}
      </Loaded>
      {mayQuery && <ByDay />}
    </Section>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { title: "Type", cell: ({ type }) => type },
  { title: "Rows", number: true, cell: ({ rows }) => countText(rows) },
  { title: "Stored", number: true, cell: ({ bytes }) => bytesText(bytes) },
  { title: "As Parquet", number: true, cell: ({ parquet_bytes }) => bytesText(parquet_bytes) },
  { title: "Not there yet", number: true, cell: ({ pending_bytes }) => bytesText(pending_bytes) },
  { title: "Files", number: true, cell: ({ files }) => countText(files) },
  { title: "Oldest", cell: ({ oldest }) => <Time at={oldest} none="—" /> },
  { title: "Newest", cell: ({ newest }) => <Time at={newest} none="—" /> },
];

function ByDay(): ReactNode {
  const [now] = useState(() => new Date());
  const rows = useRead(QUERY_ROUTES.query, { body: { sql: DAYS_SQL, from: firstDay(now) } });
  return (
    <div className="flex flex-col gap-2 border-t border-line p-3.5">
      <div className="flex flex-wrap items-center gap-3">
        <h3>Rows by day in the last {DAYS} days</h3>
        <span className="text-ink-2">by their timestamp; only rows that you may see</span>
        <span className="ml-auto">
          <PageLink page="sql" search={{ sql: DAYS_SQL, from: firstDay(now) }}>
            The same as SQL
          </PageLink>
        </span>
      </div>
      <Chart
        label={`Rows by day and type in the last ${DAYS} days`}
        mark="stack"
        heightPx={132}
        data={rows.data === undefined ? undefined : chartOf(daysOf(rows.data.rows, now))}
        error={rows.error}
        onRetry={() => void rows.refetch()}
      />
    </div>
  );
}

function chartOf(days: readonly Day[]): ChartData {
  return {
    times: days.map(({ day }) => Date.parse(day) / 1000),
    series: TYPES.map((label, index) => ({ label, values: days.map(({ counts }) => counts[index] ?? 0) })),
  };
}
