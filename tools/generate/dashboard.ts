import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PARTS, type Family } from "../../server/src/kernel/metrics/index.ts";
import type { Generated } from "./generated-file.ts";

const PATH = "deploy/grafana/mooring.json";
/** Panels with a number from here on are generated. People edit the others in Grafana. */
export const GENERATED_FROM = 1000;
const COLUMNS = 24;
const WIDTH = 8;
const HEIGHT = 8;
const SOURCE = { type: "prometheus", uid: "${datasource}" } as const;

interface Panel {
  readonly id: number;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string }[];
}

/** Keeps the panels that people made, and adds a panel for each family that none of them reads. */
export const dashboard: Generated = {
  path: PATH,
  render: () => {
    const file = JSON.parse(readFileSync(join(import.meta.dirname, "../..", PATH), "utf8")) as { panels: Panel[] };
    const made = file.panels.filter(({ id }) => id < GENERATED_FROM);
    return `${JSON.stringify({ ...file, panels: [...made, ...generatedPanels(made)] }, null, 2)}\n`;
  },
};

function generatedPanels(made: readonly Panel[]): object[] {
  const queries = made.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join("\n");
  const isShown = (name: string): boolean => new RegExp(`\\b${name}(?:_bucket|_sum|_count)?\\b`).test(queries);
  let y = Math.max(...made.map(({ gridPos }) => gridPos.y + gridPos.h));
  let id = GENERATED_FROM;
  return Object.entries<Readonly<Record<string, Family>>>(PARTS).flatMap(([title, families]) => {
    const missing = Object.entries(families).filter(([name]) => !isShown(name));
    if (missing.length === 0) return [];
    const row = {
      id: id++,
      type: "row",
      title: `More: ${title}`,
      collapsed: false,
      panels: [],
      gridPos: { h: 1, w: COLUMNS, x: 0, y },
    };
    const panels = missing.map(([name, family], i) => {
      const across = COLUMNS / WIDTH;
      const gridPos = { h: HEIGHT, w: WIDTH, x: (i % across) * WIDTH, y: y + 1 + Math.floor(i / across) * HEIGHT };
      return panel(id++, name, family, gridPos);
    });
    y += 1 + Math.ceil(missing.length / (COLUMNS / WIDTH)) * HEIGHT;
    return [row, ...panels];
  });
}

function panel(id: number, name: string, family: Family, gridPos: Panel["gridPos"]): object {
  const custom = { drawStyle: "line", lineWidth: 1, fillOpacity: 0, showPoints: "never" };
  return {
    id,
    type: "timeseries",
    title: name.replace(/^mooring_/, ""),
    description: `${family.help}.`,
    datasource: SOURCE,
    gridPos,
    fieldConfig: {
      defaults: { unit: unitOf(name, family), color: { mode: "palette-classic" }, custom },
      overrides: [],
    },
    options: {
      legend: { displayMode: "list", placement: "bottom", showLegend: true },
      tooltip: { mode: "multi", sort: "desc" },
    },
    targets: queriesOf(name, family).map(({ expr, legend }, i) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + i),
      datasource: SOURCE,
      expr,
      legendFormat: legend,
      range: true,
      instant: false,
    })),
  };
}

function queriesOf(name: string, { type, labels = {} }: Family): { expr: string; legend: string }[] {
  const chosen = '{instance=~"$instance"}';
  const by = ["instance", ...Object.keys(labels)];
  const legend = by.map((label) => `{{${label}}}`).join(" ");
  if (type === "histogram")
    return [0.5, 0.99].map((quantile) => ({
      expr: `histogram_quantile(${quantile}, sum by (instance, le) (rate(${name}_bucket${chosen}[$__rate_interval])))`,
      legend: `{{instance}} ${quantile * 100} %`,
    }));
  if (type === "gauge") return [{ expr: `${name}${chosen}`, legend }];
  const change = name.endsWith("_bytes_total")
    ? `rate(${name}${chosen}[$__rate_interval])`
    : `increase(${name}${chosen}[5m])`;
  return [{ expr: `sum by (${by.join(", ")}) (${change})`, legend }];
}

function unitOf(name: string, { type }: Family): string {
  if (name.endsWith("_timestamp_seconds") || name === "process_start_time_seconds") return "dateTimeFromNow";
  if (name.includes("_seconds")) return "s";
  if (name.includes("_bytes")) return type === "counter" ? "Bps" : "bytes";
  return name.endsWith("_ratio") ? "percentunit" : "short";
}
