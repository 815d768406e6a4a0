import { useState, type ReactNode } from "react";
import { BarList } from "~/kit/chart/bar-list.tsx";
import { Chart } from "~/kit/chart/chart.tsx";
import { Figure } from "~/kit/chart/figure.tsx";
import { ChartGroup } from "~/kit/chart/group.tsx";
import { InlineBar } from "~/kit/chart/inline-bar.tsx";
import type { ChartUnit } from "~/kit/chart/model.ts";
import { Table } from "~/kit/table.tsx";
import { DAY_S, durationsSample, END_S, heatOf, levelsOf, timesOf, waveOf, wavesOf } from "./samples.ts";

/** Every kind of chart with fixed data, in the order of the drawings. */
export function Gallery(): ReactNode {
  const [zoomed, setZoomed] = useState("");
  const onRange = (fromS: number, toS: number): void =>
    setZoomed([fromS, toS].map((atS) => new Date(atS * 1000).toISOString().slice(0, 16)).join(" "));
  return (
    <main className="flex flex-col gap-3 p-4">
      <h1>Charts</h1>
      <p data-testid="zoomed" className="sr-only">
        {zoomed}
      </p>
      <div className="grid grid-cols-1 gap-3 lg:grid-cols-2">
        <ChartGroup>
          <OneLine />
          <FourLines onRange={onRange} />
          <EightLines />
          <Stacked />
          <Heat />
          <Histogram />
          <Figures />
          <Bars />
          <Axes />
          <Nothing />
          <Band />
          <Many />
        </ChartGroup>
      </div>
    </main>
  );
}

function Sheet({ title, about, children }: { title: string; about: string; children: ReactNode }): ReactNode {
  return (
    <section aria-label={title} className="min-w-0 rounded border border-line bg-sheet">
      <header className="flex h-[38px] items-center gap-2 px-3.5">
        <h2 className="text-m font-semibold whitespace-nowrap">{title}</h2>
        <span className="truncate text-s text-ink-3">{about}</span>
      </header>
      <div className="min-w-0 px-3.5 pb-3">{children}</div>
    </section>
  );
}

const doNothing = (): void => {};
const DAY = timesOf(DAY_S, 900);
const DAY_RANGE = [END_S - DAY_S, END_S] as const;

function OneLine(): ReactNode {
  const peak = { from: 0.73, to: 0.81, times: 1.5 };
  const now = waveOf(DAY, { label: "requests/s", base: 430, day: 150, seed: 1, peak });
  const before = waveOf(DAY, { label: "day before", base: 410, day: 130, noise: 0.05, seed: 2 });
  return (
    <Sheet title="One line" about="24 hours, with the day before, deploys and an alert">
      <Chart
        label="Requests per second"
        heightPx={186}
        data={{ times: DAY, series: [{ ...before, isBefore: true }, now].toReversed() }}
        range={DAY_RANGE}
        onRange={doNothing}
        events={[
          { kind: "deploy", atS: END_S - DAY_S * 0.48, text: "1.14.1" },
          { kind: "deploy", atS: END_S - DAY_S * 0.28, text: "1.14.2" },
          { kind: "deploy", atS: END_S - DAY_S * 0.01, text: "1.14.3" },
          { kind: "alert", fromS: END_S - DAY_S * 0.27, toS: END_S - DAY_S * 0.19, level: "error" },
        ]}
      />
    </Sheet>
  );
}

function FourLines({ onRange }: { onRange: (fromS: number, toS: number) => void }): ReactNode {
  const data = wavesOf(timesOf(900, 10), [
    { label: "checkout-api", base: 200, seed: 3 },
    { label: "payments", base: 140, seed: 4, peak: { from: 0.66, to: 0.8, times: 0.5 } },
    { label: "inventory", base: 90, seed: 5 },
    { label: "mailer", base: 26, noise: 0.2, seed: 6 },
  ]);
  return (
    <Sheet title="Four lines" about="15 minutes; a range can be marked">
      <Chart label="Requests by service" data={data} heightPx={132} range={[END_S - 900, END_S]} onRange={onRange} />
    </Sheet>
  );
}

function EightLines(): ReactNode {
  const names = ["checkout-api", "frontend", "payments", "inventory", "auth", "search", "mailer", "ledger"];
  const data = wavesOf(
    timesOf(7 * DAY_S, 3600),
    names.map((label, index) => ({ label, base: 390 - index * 48, day: 150 - index * 18, seed: index + 20 })),
  );
  return (
    <Sheet title="Eight lines" about="p95 latency by service, 7 days">
      <Chart label="Latency by service" data={data} unit="milliseconds" heightPx={200} onRange={doNothing} />
    </Sheet>
  );
}

const ENDPOINTS: readonly (readonly [string, number])[] = [
  ["/api/checkout", 41_280],
  ["/api/cart", 33_904],
  ["/api/products/{id}", 21_733],
  ["/api/login", 11_870],
  ["/api/orders", 8412],
  ["/api/search", 6020],
  ...Array.from({ length: 31 }, (_, index) => [`/api/other/${index}`, 302] as const),
];

function Stacked(): ReactNode {
  return (
    <Sheet title="Stacked bars" about="lines of log every 20 min by level; bars by name">
      <Chart label="Lines of log by level" mark="stack" data={levelsOf(timesOf(DAY_S, 1200))} heightPx={132} />
      <div className="mt-3">
        <BarList
          label="Requests by endpoint"
          rows={ENDPOINTS.map(([name, value]) => ({ name, values: [value] }))}
          max={6}
        />
      </div>
    </Sheet>
  );
}

const ROWS = 10;
const ROW_TEXTS = Array.from({ length: ROWS + 1 }, (_, row) => (row % 2 === 0 ? `${5 * 2 ** row} ms` : ""));

function Heat(): ReactNode {
  return (
    <Sheet title="Heat map" about="requests by duration, 24 hours">
      <Chart
        label="Requests by duration"
        mark="heat"
        data={heatOf(DAY, ROWS)}
        rowTexts={ROW_TEXTS}
        heightPx={154}
        events={[{ kind: "deploy", atS: END_S - DAY_S * 0.3, text: "1.14.2" }]}
      />
    </Sheet>
  );
}

function Histogram(): ReactNode {
  return (
    <Sheet title="Histogram" about="duration of traces, log scale">
      <Chart
        label="Traces by duration"
        mark="bars"
        axis={{ kind: "log", unit: "milliseconds" }}
        data={durationsSample()}
        heightPx={154}
        places={[
          { at: 1.38, text: "p50 24 ms" },
          { at: 2.91, text: "p95 812 ms" },
          { at: 3.46, text: "p99 2.9 s" },
        ]}
      />
    </Sheet>
  );
}

function Figures(): ReactNode {
  const course = (seed: number, level?: "error") => ({
    values: waveOf(timesOf(3600, 60), { label: "", base: 10, noise: 0.3, seed }).values,
    label: "The last hour",
    ...(level && { level }),
  });
  return (
    <Sheet title="Single figures" about="the last value, the change in words, the course">
      <div className="grid grid-cols-2 gap-x-7 gap-y-3.5">
        <Figure title="Requests" value="438 /s" change="+9 % on the day before" course={course(31)} />
        <Figure title="Error rate" value="2.41 %" change="+1.9 points" tone="bad" course={course(32, "error")} />
        <Figure title="p95 latency" value="312 ms" change="−18 ms" tone="good" course={course(33)} />
        <Figure title="Stored" value="184.2 GiB" change="+3.1 GiB a day" course={course(34)} />
      </div>
    </Sheet>
  );
}

const BARRED = [
  { name: "POST /api/checkout", rate: 96.1, errors: 4.12 },
  { name: "GET /api/cart", rate: 78.9, errors: 0.21 },
  { name: "POST /api/login", rate: 27.6, errors: 1.37 },
];

function Bars(): ReactNode {
  return (
    <Sheet title="Table with bars" about="last hour">
      <Table
        label="Endpoints"
        items={BARRED}
        keyOf={({ name }) => name}
        columns={[
          { title: "Endpoint", cell: ({ name }) => <span className="mono">{name}</span>, grow: true },
          { title: "Requests/s", number: true, cell: ({ rate }) => rate },
          { title: "Share", cell: ({ rate }) => <InlineBar share={rate / 96.1} /> },
          { title: "Errors", number: true, cell: ({ errors }) => `${errors} %` },
          {
            title: "Level",
            cell: ({ errors }) => (
              <InlineBar
                share={errors / 4.2}
                kind={errors > 2 ? "stop" : errors > 1 ? "warn" : "go"}
                isTracked
                className="w-12"
              />
            ),
          },
        ]}
      />
    </Sheet>
  );
}

const AXES: readonly (readonly [title: string, spanS: number, stepS: number, unit: ChartUnit, base: number])[] = [
  ["15 minutes", 900, 10, "milliseconds", 60],
  ["24 hours", DAY_S, 900, "bytes", 40 * 1024],
  ["7 days", 7 * DAY_S, 3600, "none", 900],
  ["90 days", 90 * DAY_S, DAY_S, "percent", 60],
];

function Axes(): ReactNode {
  return (
    <Sheet title="Time axes and units" about="round steps, dates where the day changes">
      {AXES.map(([title, spanS, stepS, unit, base], index) => (
        <div key={title} className="mb-2">
          <h3 className="text-s text-ink-2">{title}</h3>
          <Chart
            label={title}
            data={wavesOf(timesOf(spanS, stepS), [{ label: "value", base, noise: 0.3, seed: 40 + index }])}
            unit={unit}
            heightPx={40}
            range={[END_S - spanS, END_S]}
          />
        </div>
      ))}
    </Sheet>
  );
}

function Nothing(): ReactNode {
  const times = timesOf(600, 10);
  const data = wavesOf(times, [{ label: "value", base: 40, seed: 50 }]);
  return (
    <Sheet title="When there is nothing to draw" about="same height as the chart, so that nothing jumps">
      <div className="grid gap-3.5 sm:grid-cols-2">
        <State title="Loading (after 300 ms)">
          <Chart label="Loading" data={undefined} heightPx={80} range={[END_S - 900, END_S]} />
        </State>
        <State title="Empty">
          <Chart
            label="Empty"
            data={{ times: [], series: [] }}
            heightPx={80}
            range={[END_S - 900, END_S]}
            empty={
              <>
                No requests in these 15 minutes
                <span className="text-ink-3">the last one was at 08:12</span>
              </>
            }
          />
        </State>
        <State title="Failed">
          <Chart
            label="Failed"
            data={undefined}
            error={new Error("Query stopped after 10 s")}
            onRetry={doNothing}
            heightPx={80}
            range={[END_S - 900, END_S]}
          />
        </State>
        <State title="Cut off">
          <Chart label="Cut" data={data} heightPx={80} range={[END_S - 900, END_S]} keptFromS={END_S - 600} />
        </State>
      </div>
    </Sheet>
  );
}

function State({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <div className="min-w-0">
      <h3 className="mb-1.5 text-s text-ink-2">{title}</h3>
      {children}
    </div>
  );
}

function Band(): ReactNode {
  const mean = waveOf(DAY, { label: "average", base: 220, day: 60, seed: 60 });
  const scaled = (by: number): (number | null)[] => mean.values.map((value) => (value === null ? null : value * by));
  const gap = (values: readonly (number | null)[]): (number | null)[] =>
    values.map((value, index) => (index > 30 && index < 42 ? null : value));
  const series = { ...mean, values: gap(mean.values), band: { low: gap(scaled(0.7)), high: gap(scaled(1.4)) } };
  return (
    <Sheet title="Band, threshold and gap" about="least to most around the average; a gap is a gap">
      <Chart
        label="Latency with its band"
        data={{ times: DAY, series: [series] }}
        unit="milliseconds"
        heightPx={132}
        threshold={{ at: 350, text: "> 350 ms" }}
      />
    </Sheet>
  );
}

function Many(): ReactNode {
  const times = timesOf(6 * 3600, 300);
  const waves = Array.from({ length: 39 }, (_, index) => ({
    label: `pod-${index}`,
    base: 200 - index * 4,
    seed: index,
  }));
  return (
    <Sheet title="Past eight series" about="the rest is one grey line">
      <Chart
        label="Requests by pod"
        data={wavesOf(times, waves)}
        unit="per-second"
        heightPx={132}
        onRange={doNothing}
      />
    </Sheet>
  );
}
