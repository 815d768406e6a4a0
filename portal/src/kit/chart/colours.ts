import type { ChartSeries } from "./model.ts";

export const COLOURS = 8;

/** Returns the CSS custom property of a series' colour. */
export function colourOf(series: Pick<ChartSeries, "isRest" | "isBefore" | "level">, slot: number): string {
  if (series.isRest === true || series.isBefore === true) return "--line-3";
  return series.level === undefined ? `--s${(slot % COLOURS) + 1}` : `--lv-${series.level}`;
}

/**
 * Returns the colour slot of each name. A name keeps the slot that it has on this page (`known`), unless another name
 * of the same chart has taken it. A new name gets the first slot that is free in the chart and least used on the page.
 */
export function slotsOf(names: readonly string[], known: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const slots = new Map<string, number>();
  const taken = new Set<number>();
  for (const name of names) {
    const slot = known.get(name);
    if (slot === undefined || taken.has(slot)) continue;
    slots.set(name, slot);
    taken.add(slot);
  }
  const uses = (slot: number): number => [...known.values()].filter((each) => each === slot).length;
  const hasKnown = slots.size > 0;
  for (const name of names) {
    if (slots.has(name)) continue;
    const free = Array.from({ length: COLOURS }, (_, slot) => slot).filter((slot) => !taken.has(slot));
    const best = hasKnown ? free.toSorted((a, b) => uses(a) - uses(b) || a - b)[0] : free[0];
    const slot = best ?? names.indexOf(name) % COLOURS;
    slots.set(name, slot);
    taken.add(slot);
  }
  return slots;
}
