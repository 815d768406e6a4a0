import { visibleText } from "../foreign.ts";
import { hasValues, summaryOf, type ChartData, type ChartMark, type ChartUnit } from "./model.ts";
import { hasTotal } from "./scales.ts";
import { valueText } from "./units.ts";

const SERIES_SAID = 5;

/** Returns the sentence that describes a chart to people who do not see it. */
export function sentenceOf(label: string, { times, series }: ChartData, mark: ChartMark, unit: ChartUnit): string {
  if (!hasValues({ times, series })) return `${label}: nothing to draw.`;
  if (mark === "heat") return `${label}: heat map of ${series.length} rows and ${times.length} columns.`;
  const parts = series.slice(0, SERIES_SAID).map(({ label: name, values }) => {
    const { last, min, max, sum } = summaryOf(values);
    if (hasTotal(mark, unit)) return `${visibleText(name)} ${valueText(sum, unit)} in total`;
    return `${visibleText(name)} last ${valueText(last, unit)}, least ${valueText(min, unit)}, most ${valueText(max, unit)}`;
  });
  const more = series.length > SERIES_SAID ? `; ${series.length - SERIES_SAID} more` : "";
  return `${label}: ${parts.join("; ")}${more}.`;
}
