import type { ReactNode } from "react";
import { cn } from "./cn.ts";

/** A small chart of one figure within a line of text. The label describes it for screen readers. */
export function Sparkline({
  values,
  label,
  bars = false,
  className = "h-5 w-24",
}: {
  values: readonly number[];
  label: string;
  bars?: boolean;
  className?: string;
}): ReactNode {
  const most = Math.max(1, ...values);
  const y = (value: number): number => 100 - (value / most) * 96;
  const points = values.map((value, index) => `${index},${y(value).toFixed(1)}`);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${Math.max(1, bars ? values.length : values.length - 1)} 100`}
      preserveAspectRatio="none"
      className={cn("block text-sea", className)}
    >
      {bars ? (
        values.map((value, index) => (
          <rect key={index} x={index + 0.1} width="0.8" y={y(value)} height={100 - y(value)} fill="currentColor" />
        ))
      ) : (
        <polyline
          points={points.join(" ")}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}
