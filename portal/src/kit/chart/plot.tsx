import { memo, type ReactNode } from "react";
import { colourOf } from "./colours.ts";
import { DEPTHS, depthOf } from "./depth.ts";
import type { ChartData, ChartMark, ChartSeries } from "./model.ts";
import { areaPath, bandPath, boxesPath, linePath, type Box } from "./paths.ts";
import { pointsOf, type Scales } from "./scales.ts";

export interface PlotProps {
  data: ChartData;
  mark: ChartMark;
  scales: Scales;
  slots: ReadonlyMap<string, number>;
  /** Places of vertical lines: days, weeks, months. */
  linesPx: readonly number[];
  /** Places of horizontal lines; the values of the y axis by default. */
  rowsPx: readonly number[];
  threshold: number | undefined;
  emphasized: string | null;
}

/** The drawing without its texts. It stretches, and lines keep their width. */
export const PlotSvg = memo(function PlotSvg(props: PlotProps): ReactNode {
  const { scales, linesPx, rowsPx, threshold, mark } = props;
  const { widthPx, heightPx } = scales;
  return (
    <svg viewBox={`0 0 ${widthPx} ${heightPx}`} preserveAspectRatio="none" aria-hidden="true">
      <path className="ch-grid" d={rowsPx.map((y) => `M0 ${y}H${widthPx}`).join("")} />
      <path className="ch-day" d={linesPx.map((x) => `M${x} 0V${heightPx}`).join("")} />
      {mark === "heat" ? (
        <Cells {...props} />
      ) : mark === "bars" || mark === "stack" ? (
        <Stacks {...props} />
      ) : (
        <Lines {...props} />
      )}
      {threshold !== undefined && <path className="ch-threshold" d={`M0 ${scales.yPx(threshold)}H${widthPx}`} />}
      <path className="ch-base" d={`M0 ${heightPx}H${widthPx}`} />
    </svg>
  );
});

function Lines({ data, mark, scales, slots, emphasized }: PlotProps): ReactNode {
  const { times, series } = data;
  const main = series.filter(({ isBefore }) => isBefore !== true);
  const isWashed = main.length === 1 && main[0]?.band === undefined && (mark === "area" || mark === "line");
  const basePx = Math.min(scales.heightPx, scales.yPx(Math.max(0, scales.steps.low)));
  return series.map((each) => {
    const points = pointsOf(times, each.values, scales);
    const stroke = `var(${colourOf(each, slots.get(each.label) ?? 0)})`;
    return (
      <g key={each.label} style={{ stroke, fill: stroke }} opacity={fadeOf(each, emphasized)}>
        {isWashed && each === main[0] && <path className="ch-wash" d={areaPath(points, basePx)} />}
        {each.band !== undefined && (
          <path
            className="ch-wash"
            d={bandPath(pointsOf(times, each.band.low, scales), pointsOf(times, each.band.high, scales))}
          />
        )}
        <path
          className={each.isBefore === true ? "ch-line ch-before" : "ch-line"}
          strokeWidth={each.label === emphasized ? 2.5 : undefined}
          d={linePath(points)}
        />
      </g>
    );
  });
}

function fadeOf({ label }: ChartSeries, emphasized: string | null): number | undefined {
  return emphasized === null || emphasized === label ? undefined : 0.3;
}

const GAP = 0.2;

function Stacks({ data: { times, series }, scales, slots, emphasized }: PlotProps): ReactNode {
  const heights = times.map(() => 0);
  const wide = Math.max(0.5, (scales.step / (scales.to - scales.from)) * scales.widthPx * (1 - GAP));
  return series.map((each) => {
    const boxes: Box[] = times.flatMap((at, index) => {
      const value = each.values[index] ?? 0;
      if (value <= 0) return [];
      const below = heights[index] ?? 0;
      heights[index] = below + value;
      const bottomPx = scales.yPx(below);
      // Keeps the smallest value visible.
      const tallPx = Math.max(1, bottomPx - scales.yPx(below + value));
      const xPx = scales.xPx(at + (scales.step * GAP) / 2);
      return { xPx, yPx: bottomPx - tallPx, widthPx: wide, heightPx: tallPx };
    });
    const fill = `var(${colourOf(each, slots.get(each.label) ?? 0)})`;
    return <path key={each.label} style={{ fill }} opacity={fadeOf(each, emphasized)} d={boxesPath(boxes)} />;
  });
}

function Cells({ data: { times, series }, scales }: PlotProps): ReactNode {
  const rowPx = scales.heightPx / Math.max(1, series.length);
  const columnPx = (scales.step / (scales.to - scales.from)) * scales.widthPx;
  const most = series.reduce((max, { values }) => values.reduce<number>((m, v) => Math.max(m, v ?? 0), max), 0);
  const depths: Box[][] = Array.from({ length: DEPTHS + 1 }, () => []);
  series.forEach(({ values }, row) =>
    times.forEach((at, index) => {
      const depth = depthOf(values[index], most);
      if (depth === 0) return;
      const yPx = scales.heightPx - (row + 1) * rowPx;
      const [xPx, widthPx] = [scales.xPx(at), Math.max(0.5, columnPx - 1)];
      depths[depth]?.push({ xPx, yPx, widthPx, heightPx: Math.max(0.5, rowPx - 1) });
    }),
  );
  return depths.map((boxes, depth) =>
    boxes.length === 0 ? null : <path key={depth} style={{ fill: `var(--d${depth})` }} d={boxesPath(boxes)} />,
  );
}
