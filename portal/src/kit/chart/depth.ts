export const DEPTHS = 6;

/** Returns the depth of a heat map's cell, from 1 to 6 by the square root of its count; 0 for none. */
export function depthOf(value: number | null | undefined, most: number): number {
  if (value === null || value === undefined || value <= 0) return 0;
  return Math.min(DEPTHS, Math.max(1, Math.ceil(Math.sqrt(value / most) * DEPTHS)));
}
