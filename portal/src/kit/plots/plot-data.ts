import { useMemo } from "react";
import { useProject } from "~/app/scope.ts";
import type { ChartRange } from "~/kit/chart-range.tsx";
import { alignPoints, type ChartData } from "~/kit/chart/model.ts";
import { useSql } from "~/kit/chart-query.ts";
import { numberOf, textOf, type SqlRow } from "~/kit/chart-rows.ts";
import { withValues } from "~/kit/chart-sql.ts";
import { quantilePoints } from "./histogram.ts";
import { LINES_MAX, quantileOf, statementOf } from "./metric-sql.ts";
import type { Plot } from "./plots.ts";

interface PlotData {
  readonly data: ChartData | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
  /** The number of all lines, including those not drawn separately. */
  readonly lines: number;
  readonly stepS: number;
  readonly elapsedMs: number | undefined;
  /** The statement with values instead of parameters. */
  readonly sql: string;
}

/** Reads the points of a plot in the range with one statement. */
export function usePlotData(plot: Plot, range: ChartRange, stepS: number): PlotData {
  const projectId = useProject()?.id ?? null;
  const statement = statementOf({ plot, stepS, projectId });
  const from = new Date((range.fromS - statement.earlierS) * 1000).toISOString();
  const query = { sql: statement.sql, parameters: statement.parameters, from, to: range.bounds.to };
  const { data: answer, error, isFetching } = useSql(query, { enabled: stepS > 0 });
  const rows = answer?.rows;
  const { fromS } = range;
  const quantile = quantileOf(plot);
  const sizeS = rows?.[0] === undefined ? stepS : numberOf(rows[0], "size");
  const lines = rows?.[0] === undefined ? 0 : numberOf(rows[0], "total");
  const data = useMemo(() => {
    if (rows === undefined) return undefined;
    const inRange = rows.filter((row) => numberOf(row, "bin") + sizeS > fromS);
    const points = quantile === null ? inRange.map(pointOf) : quantilePoints(inRange.map(bucketOf), quantile);
    return alignPoints(points, sizeS, lines - LINES_MAX);
  }, [rows, sizeS, fromS, quantile, lines]);
  return {
    data,
    error,
    isFetching,
    lines,
    stepS: sizeS,
    elapsedMs: answer?.statistics.elapsed_ms,
    sql: withValues(statement.sql, statement.parameters),
  };
}

function pointOf(row: SqlRow): { atS: number; series: string | null; value: number } {
  return { atS: numberOf(row, "bin"), series: seriesOf(row), value: numberOf(row, "value") };
}

function bucketOf(row: SqlRow): { atS: number; series: string | null; le: string; value: number } {
  return { ...pointOf(row), le: textOf(row, "le") };
}

function seriesOf(row: SqlRow): string | null {
  return row["series"] === null ? null : textOf(row, "series");
}
