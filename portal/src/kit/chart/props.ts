import type { ReactNode } from "react";
import type { ChartAxis } from "./axis.ts";
import type { ChartData, ChartEvent, ChartMark, ChartPlace, ChartUnit } from "./model.ts";

export interface ChartProps {
  /** The name of the chart, for screen readers. */
  label: string;
  /** Undefined while it is read. */
  data: ChartData | undefined;
  mark?: ChartMark;
  unit?: ChartUnit;
  /** The height of the plot. The chart keeps it when there is nothing to draw. */
  heightPx?: number;
  axis?: ChartAxis;
  /** The ends of the x axis; the ends of the data by default. */
  range?: readonly [from: number, to: number];
  /** Called with a range that the person marked and confirmed. Without it, no range can be marked. */
  onRange?: (from: number, to: number) => void;
  events?: readonly ChartEvent[];
  places?: readonly ChartPlace[];
  threshold?: ChartPlace;
  /** Data before this time is not kept; that part is hatched. */
  keptFromS?: number | undefined;
  /** The texts of a heat map's rows: their ends, the lowest first. */
  rowTexts?: readonly string[];
  /** Whether the data is read again; the picture stays. */
  isFetching?: boolean;
  error?: Error | null;
  onRetry?: () => void;
  /** The text if there is no data: since when, and a way there. */
  empty?: ReactNode;
}
