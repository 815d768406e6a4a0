import { defaultRangeExtractor, type Range } from "@tanstack/react-virtual";

/** Renders the visible rows and the active row, so that the focus is not lost by scrolling. */
export function withRow(active: number): (range: Range) => number[] {
  return (range) => {
    const inSight = defaultRangeExtractor(range);
    if (active >= range.count || inSight.includes(active)) return inSight;
    return [...inSight, active].toSorted((a, b) => a - b);
  };
}
