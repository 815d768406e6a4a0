import type { ReactNode } from "react";
import { cn } from "../cn.ts";
import "./chart.css";
import type { Level } from "./model.ts";
import { areaPath, boxesPath, linePath, type PixelPoint } from "./paths.ts";

const WIDTH = 200;
const HEIGHT = 24;
const GAP = 0.2;

/** A small chart of one figure within a line of text. The label describes it for screen readers. */
export function Sparkline({
  values,
  label,
  bars = false,
  level,
  className = "h-5 w-24",
}: {
  values: readonly (number | null)[];
  label: string;
  bars?: boolean;
  /** The level of a state; the first colour of series by default. */
  level?: Level | undefined;
  className?: string;
}): ReactNode {
  const most = Math.max(0, ...values.map((value) => value ?? 0)) || 1;
  const yPx = (value: number): number => HEIGHT - (Math.max(0, value) / most) * (HEIGHT - 2);
  const step = WIDTH / Math.max(1, bars ? values.length : values.length - 1);
  const points: PixelPoint[] = values.map((value, index) => ({
    xPx: index * step,
    yPx: value === null ? null : yPx(value),
  }));
  const colour = level === undefined ? "var(--s1)" : `var(--lv-${level})`;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={cn("ch-spark", className)}
      style={{ fill: colour, stroke: colour }}
    >
      {bars ? (
        <path stroke="none" d={boxesPath(barsOf(values, step, yPx))} />
      ) : (
        <>
          <path className="ch-wash" d={areaPath(points, HEIGHT)} />
          <path className="ch-line" d={linePath(points)} />
        </>
      )}
    </svg>
  );
}

function barsOf(
  values: readonly (number | null)[],
  step: number,
  yPx: (value: number) => number,
): Parameters<typeof boxesPath>[0] {
  return values.flatMap((value, index) =>
    value === null || value <= 0
      ? []
      : [
          {
            xPx: (index + GAP / 2) * step,
            yPx: yPx(value),
            widthPx: step * (1 - GAP),
            heightPx: HEIGHT - yPx(value),
          },
        ],
  );
}
