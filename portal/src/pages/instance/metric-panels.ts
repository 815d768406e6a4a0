import type { ChartData, ChartMark, ChartSeries, ChartUnit, Level } from "../../kit/chart/model.ts";
import type { Aggregation, Plot } from "../../kit/plots/plots.ts";

/** One chart of the page, of one or several metrics. */
export interface Panel {
  readonly title: string;
  readonly about: string;
  readonly unit: ChartUnit;
  readonly mark?: ChartMark;
  /** The plots, with the name of the line if the plot has one. */
  readonly plots: readonly (readonly [name: string, plot: Plot])[];
  /** Changes the series before they are drawn. */
  readonly shape?: (data: ChartData) => ChartData;
}

function plot(aggregation: Aggregation, name: string, by: string | null = null): Plot {
  return { name, aggregation, by };
}

const DURATION = "http_server_request_duration_seconds_bucket";

const REQUESTS = "mooring_http_requests_total";

export const PANELS: readonly Panel[] = [
  {
    title: "Requests",
    about: "by interface",
    unit: "per-second",
    plots: [["requests", plot("rate", REQUESTS, "surface")]],
  },
  {
    title: "Answers",
    about: "by class of status",
    unit: "per-second",
    mark: "stack",
    plots: [["answers", plot("rate", REQUESTS, "http_response_status_code")]],
    shape: classesOf,
  },
  {
    title: "Durations",
    about: "of requests, to the last byte",
    unit: "seconds",
    plots: [
      ["p50", plot("p50", DURATION)],
      ["p95", plot("p95", DURATION)],
      ["p99", plot("p99", DURATION)],
    ],
  },
  {
    title: "Event loop",
    about: "delay, p99",
    unit: "seconds",
    plots: [["delay", plot("p99", "mooring_eventloop_delay_seconds_bucket")]],
  },
  {
    title: "Processor",
    about: "of one core",
    unit: "percent",
    plots: [["processor", plot("rate", "process_cpu_seconds_total")]],
    shape: percentOf,
  },
  {
    title: "Memory",
    about: "of the server's processes, the largest node",
    unit: "bytes",
    plots: [["memory", plot("max", "process_resident_memory_bytes")]],
  },
  {
    title: "Free disk",
    about: "of the data directory, the fullest node",
    unit: "bytes",
    plots: [["free", plot("min", "mooring_disk_free_bytes")]],
  },
  {
    title: "Telemetry files",
    about: "stored as Parquet",
    unit: "bytes",
    plots: [["stored", plot("max", "mooring_telemetry_parquet_bytes")]],
  },
  {
    title: "Queries",
    about: "running at once",
    unit: "none",
    plots: [["running", plot("max", "mooring_query_running")]],
  },
  {
    title: "Parked jobs",
    about: "that wait for an operator",
    unit: "none",
    plots: [["parked", plot("max", "mooring_jobs_parked")]],
  },
];

/** Shows seconds of work per second as percent. */
function percentOf({ times, series }: ChartData): ChartData {
  const hundredfold = (values: ChartSeries["values"]): ChartSeries["values"] =>
    values.map((value) => (value === null ? null : value * 100));
  return { times, series: series.map((each) => ({ ...each, values: hundredfold(each.values) })) };
}

/** @throws Error if there is no such panel */
export function panelOf(title: string): Panel {
  const panel = PANELS.find((each) => each.title === title);
  if (panel === undefined) throw new Error(`there is no panel ${title}`);
  return panel;
}

/** The classes of status as states, from the base upwards. Successes are the grey of information. */
const CLASSES: readonly (readonly [digit: string, label: string, level: Level])[] = [
  ["5", "5xx", "error"],
  ["4", "4xx", "warn"],
  ["2", "2xx", "info"],
  ["3", "3xx", "debug"],
  ["1", "1xx", "debug"],
];

/** Adds up the series of each class of status. */
export function classesOf({ times, series }: ChartData): ChartData {
  const classes = CLASSES.map(([digit, label, level]): ChartSeries | null => {
    const parts = series.filter((each) => each.label.startsWith(digit));
    if (parts.length === 0) return null;
    const values = times.map((_, index) => parts.reduce((sum, { values: each }) => sum + (each[index] ?? 0), 0));
    return { label, level, values };
  });
  const rest = series.filter((each) => !/^[1-5]/.test(each.label));
  return { times, series: [...classes.filter((each) => each !== null), ...rest] };
}

/** Puts the lines of several plots of one metric into one chart. */
export function joined(parts: readonly ChartData[]): ChartData {
  const [first] = parts;
  const times = [...new Set(parts.flatMap((part) => part.times))].toSorted((a, b) => a - b);
  if (first === undefined || parts.length === 1) return first ?? { times: [], series: [] };
  const series = parts.flatMap((part) => {
    const places = new Map(part.times.map((at, index) => [at, index]));
    return part.series.map((each) => ({
      ...each,
      values: times.map((at) => each.values[places.get(at) ?? -1] ?? null),
    }));
  });
  return { times, series };
}

/** Returns the sum of all series at each time. */
export function totalOf({ times, series }: ChartData): readonly (number | null)[] {
  return times.map((_, index) => {
    const present = series.flatMap(({ values }) => values[index] ?? []);
    return present.length === 0 ? null : present.reduce((sum, value) => sum + value, 0);
  });
}

/** Returns the share of failed answers of a range, in percent, and the course of the failures. Null: no answers. */
export function failuresOf(answers: ChartData): {
  readonly percent: number | null;
  readonly values: readonly (number | null)[];
} {
  const sumOf = (values: readonly (number | null)[]): number =>
    values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const failed = answers.series.find(({ label }) => label === "5xx")?.values ?? answers.times.map(() => 0);
  const all = sumOf(totalOf(answers));
  return { percent: all === 0 ? null : (sumOf(failed) / all) * 100, values: failed };
}
