import { useEffect, useRef, useState, type ReactNode } from "react";
import UPlot, { type AlignedData, type Axis, type Options } from "uplot";
import "./chart.css";
import { lookOf } from "./chart-colours.ts";
import { bridged, isolated, valueText, type ChartData, type ChartUnit } from "./chart-model.ts";

interface PlotProps {
  data: ChartData;
  unit: ChartUnit;
  heightPx: number;
  /** The range of the chart, in seconds. */
  range: readonly [number, number] | undefined;
  hidden: ReadonlySet<string>;
  /** The line that is emphasized while the pointer is on its name. */
  emphasized: string | null;
  cursor: number | null;
  onCursor: (index: number | null) => void;
  onRange: ((fromS: number, toS: number) => void) | undefined;
}

const DRAG_PX = 6;

/** The canvas of a chart. `Chart` has the names and values around it. */
export function Plot(props: PlotProps): ReactNode {
  const { data, unit, heightPx, range, hidden, emphasized, cursor } = props;
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const theme = useThemeName();
  const shape = data.series.map(({ label }) => label).join("\n");

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const made = new UPlot(optionsOf(latest, element.clientWidth), alignedOf(latest.current.data), element);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth > 0) made.setSize({ width: element.clientWidth, height: latest.current.heightPx });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [shape, unit, theme, heightPx]);

  useEffect(() => {
    plot.current?.setData(alignedOf(data));
  }, [data, range]);

  useEffect(() => {
    const made = plot.current;
    if (made === null) return;
    latest.current.data.series.forEach(({ label }, index) => {
      const show = !hidden.has(label);
      if (made.series[index + 1]?.show !== show) made.setSeries(index + 1, { show });
    });
    const at = latest.current.data.series.findIndex(({ label }) => label === emphasized);
    made.setSeries(at < 0 ? null : at + 1, { focus: true });
  }, [hidden, emphasized, shape, theme]);

  useEffect(() => {
    const made = plot.current;
    const atS = cursor === null ? undefined : latest.current.data.times[cursor];
    if (made === null || atS === undefined || made.cursor.idx === cursor) return;
    made.setCursor({ left: made.valToPos(atS, "x"), top: 0 }, false);
  }, [cursor]);

  return <div ref={box} className="w-full min-w-0 overflow-hidden" style={{ height: heightPx }} aria-hidden="true" />;
}

function alignedOf({ times, series }: ChartData): AlignedData {
  return [[...times], ...series.map(({ values }) => [...bridged(values)])];
}

function optionsOf(latest: { readonly current: PlotProps }, width: number): Options {
  const { data, unit, heightPx } = latest.current;
  const token = tokenReader();
  const axis: Axis = {
    stroke: token("--ink-3"),
    font: `11px ${token("--font-mono") || "monospace"}`,
    grid: { stroke: token("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: heightPx,
    padding: [8, 20, 0, 0],
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    legend: { show: false },
    focus: { alpha: 0.25 },
    cursor: {
      y: false,
      points: { size: 6 },
      drag: { x: latest.current.onRange !== undefined, y: false, setScale: false, dist: DRAG_PX },
    },
    scales: {
      x: { range: (_plot, min, max) => [...(latest.current.range ?? [min, max])] as [number, number] },
      y: { range: (_plot, min, max) => padded(min, max) },
    },
    axes: [
      { ...axis, size: 26, values: timeTicks },
      { ...axis, size: 62, values: (_plot, splits) => splits.map((value) => valueText(value, unit)) },
    ],
    series: [
      {},
      ...data.series.map((series, index) => {
        const look = lookOf(series, index);
        return {
          label: series.label,
          stroke: token(look.token),
          width: 1.5,
          dash: [...look.dash],
          points: {
            show: false,
            size: 5,
            filter: (_plot: UPlot, at: number) => isolated(bridged(latest.current.data.series[at - 1]?.values ?? [])),
          },
        };
      }),
    ],
    hooks: {
      setCursor: [(plot) => latest.current.onCursor(plot.cursor.idx ?? null)],
      setSelect: [
        (plot) => {
          const { left, width: selectedPx } = plot.select;
          if (selectedPx < DRAG_PX) return;
          latest.current.onRange?.(plot.posToVal(left, "x"), plot.posToVal(left + selectedPx, "x"));
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

function timeTicks(_plot: UPlot, splits: number[]): string[] {
  const spanS = (splits.at(-1) ?? 0) - (splits[0] ?? 0);
  return splits.map((atS) => {
    const iso = new Date(atS * 1000).toISOString();
    if (spanS > 3 * 86_400 || (spanS > 86_400 && iso.slice(11, 16) === "00:00")) return iso.slice(5, 10);
    return spanS < 300 ? iso.slice(11, 19) : iso.slice(11, 16);
  });
}

/** Adds space above and below. The axis begins at zero if zero is near, so that small changes do not look large. */
function padded(min: number, max: number): [number, number] {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  const room = (max - min || Math.abs(max) || 1) * 0.08;
  const low = min >= 0 && min < max * 0.6 ? 0 : min - room;
  return [min === max && min === 0 ? 0 : low, max + room];
}

function tokenReader(): (name: string) => string {
  const style = getComputedStyle(document.documentElement);
  return (name) => resolved(style.getPropertyValue(name).trim(), style);
}

/** Resolves a custom property that refers to another one. */
function resolved(value: string, style: CSSStyleDeclaration): string {
  const other = /^var\((--[\w-]+)\)$/.exec(value)?.[1];
  return other === undefined ? value : style.getPropertyValue(other).trim();
}

/** Returns the theme, so that the canvas is drawn again when it changes. */
function useThemeName(): string {
  const root = document.documentElement;
  const [name, setName] = useState(() => root.dataset["theme"] ?? "");
  useEffect(() => {
    const observer = new MutationObserver(() => setName(root.dataset["theme"] ?? ""));
    observer.observe(root, { attributes: true, attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, [root]);
  return name;
}
