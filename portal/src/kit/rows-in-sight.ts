import { defaultRangeExtractor, type Range } from "@tanstack/react-virtual";

/** The rows in sight, and with them the one that the keys are at, so that the focus has a place wherever one scrolls. */
export function withRow(active: number): (range: Range) => number[] {
  return (range) => {
    const inSight = defaultRangeExtractor(range);
    if (active >= range.count || inSight.includes(active)) return inSight;
    return [...inSight, active].toSorted((a, b) => a - b);
  };
}
