import type { ReactNode } from "react";
import type { ChartRange } from "~/kit/chart-range.tsx";
import { Figure } from "~/kit/chart/figure.tsx";
import { summaryOf, type ChartUnit } from "~/kit/chart/model.ts";
import { valueText } from "~/kit/chart/units.ts";
import { usePanelData } from "./metric-panel.tsx";
import { failuresOf, panelOf, totalOf } from "./metric-panels.ts";

type Values = readonly (number | null)[];

/** The figures above the charts. They use the data of the charts, without more queries. */
export function MetricFigures({ range }: { range: ChartRange }): ReactNode {
  const requests = usePanelData(panelOf("Requests"), range).data;
  const answers = usePanelData(panelOf("Answers"), range).data;
  const durations = usePanelData(panelOf("Durations"), range).data;
  const disk = usePanelData(panelOf("Free disk"), range).data;
  const failures = answers === undefined ? undefined : failuresOf(answers);
  const hasFailed = (failures?.percent ?? 0) > 0;
  return (
    <section
      aria-label="Figures"
      className="grid grid-cols-2 gap-x-7 gap-y-3 rounded border border-line bg-sheet p-3.5 lg:grid-cols-4"
    >
      <h2 className="sr-only">Figures</h2>
      <Course title="Requests" unit="per-second" values={requests && totalOf(requests)} peak="most" />
      <Figure
        title="Failed answers"
        value={valueText(failures?.percent, "percent")}
        change={failures === undefined ? "" : hasFailed ? "of all answers in this range" : "none in this range"}
        tone={hasFailed ? "bad" : "plain"}
        course={{
          values: failures?.values ?? [],
          label: "Failed answers over time",
          level: hasFailed ? "error" : undefined,
        }}
      />
      <Course
        title="Duration, p95"
        unit="seconds"
        values={durations?.series.find(({ label }) => label === "p95")?.values}
        peak="most"
      />
      <Course title="Free disk" unit="bytes" values={disk?.series[0]?.values} peak="least" />
    </section>
  );
}

interface CourseProps {
  title: string;
  unit: ChartUnit;
  values: Values | undefined;
  /** The end of the range of values that matters. */
  peak: "most" | "least";
}

function Course({ title, unit, values = [], peak }: CourseProps): ReactNode {
  const { last, min, max } = summaryOf(values);
  const end = peak === "most" ? max : min;
  return (
    <Figure
      title={title}
      value={valueText(last, unit)}
      change={end === null ? "" : `${peak} ${valueText(end, unit)}`}
      course={{ values, label: `${title} over time` }}
    />
  );
}
