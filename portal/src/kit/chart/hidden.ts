import type { ChartSeries } from "./model.ts";

/** Returns the hidden series after a click on one. */
export function hiddenAfter(
  series: readonly ChartSeries[],
  hidden: ReadonlySet<string>,
  label: string,
  isShift: boolean,
): ReadonlySet<string> {
  const names = series.map((each) => each.label);
  if (isShift) {
    const after = new Set(hidden);
    if (!after.delete(label)) after.add(label);
    return after.size === names.length ? new Set() : after;
  }
  const others = names.filter((name) => name !== label);
  const isAlone = !hidden.has(label) && others.every((name) => hidden.has(name));
  return new Set(isAlone ? [] : others);
}
