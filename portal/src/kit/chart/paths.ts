/** One point of a line in pixels. Null: a gap. Undefined: no point, and the line continues. */
export interface PixelPoint {
  readonly xPx: number;
  readonly yPx: number | null | undefined;
}

/** The values of a line: null is a gap, undefined no point. */
type Values = readonly (number | null | undefined)[];

interface Places {
  readonly widthPx: number;
  readonly xPx: (at: number) => number;
  readonly yPx: (value: number) => number;
}

/** More points for each pixel look the same. */
const POINTS_PER_PX = 4;

/**
 * Returns the points of a line. A long line is reduced to the first, lowest, highest and last point of each pixel. So
 * 100,000 points draw like a few thousand, and no peak is lost.
 */
export function minmax(times: readonly number[], values: Values, { widthPx, xPx, yPx }: Places): readonly PixelPoint[] {
  const kept: PixelPoint[] = [];
  const keep = (index: number): void => {
    const value = values[index];
    kept.push({ xPx: xPx(times[index] ?? 0), yPx: value === null || value === undefined ? value : yPx(value) });
  };
  if (times.length <= POINTS_PER_PX * Math.max(1, widthPx)) {
    times.forEach((_, index) => values[index] !== undefined && keep(index));
    return kept;
  }
  // Indexes instead of points: one object for each of 100,000 values would take longer than everything else.
  let [column, first, least, most, last] = [Number.NaN, -1, -1, -1, -1];
  const close = (): void => {
    if (first < 0) return;
    for (const index of [...new Set([first, least, most, last])].toSorted((a, b) => a - b)) keep(index);
    first = -1;
  };
  for (let index = 0; index < times.length; index++) {
    const value = values[index];
    if (value === undefined) continue;
    const px = Math.floor(xPx(times[index] ?? 0));
    if (value === null || px !== column) close();
    if (value === null) {
      if (kept.length > 0 && kept.at(-1)?.yPx !== null) keep(index);
      continue;
    }
    column = px;
    if (first < 0) [first, least, most] = [index, index, index];
    else if (value < (values[least] ?? 0)) least = index;
    else if (value > (values[most] ?? 0)) most = index;
    last = index;
  }
  close();
  return kept;
}

/** Splits a line at its gaps. */
export function segmentsOf(points: readonly PixelPoint[]): readonly (readonly PixelPoint[])[] {
  const segments: PixelPoint[][] = [[]];
  for (const point of points) {
    if (point.yPx === null) segments.push([]);
    else if (point.yPx !== undefined) segments.at(-1)?.push(point);
  }
  return segments.filter((segment) => segment.length > 0);
}

const DOT_PX = 3;

/** Returns the path of a line. A point without neighbours is a short stroke, so that it is visible. */
export function linePath(points: readonly PixelPoint[]): string {
  return segmentsOf(points)
    .map((segment) => {
      const [only] = segment;
      if (segment.length === 1 && only !== undefined)
        return `M${short(only.xPx - DOT_PX / 2)} ${short(only.yPx ?? 0)}h${DOT_PX}`;
      return `M${textOf(segment)}`;
    })
    .join("");
}

/** Returns the path of the area between a line and a base. */
export function areaPath(points: readonly PixelPoint[], basePx: number): string {
  return segmentsOf(points)
    .filter((segment) => segment.length > 1)
    .map((segment) => {
      const [first, last] = [segment[0]?.xPx ?? 0, segment.at(-1)?.xPx ?? 0];
      return `M${short(first)} ${short(basePx)}L${textOf(segment)}L${short(last)} ${short(basePx)}z`;
    })
    .join("");
}

/** Returns the path of the area between two lines, which have their points at the same places. */
export function bandPath(low: readonly PixelPoint[], high: readonly PixelPoint[]): string {
  const lows = segmentsOf(low);
  return segmentsOf(high)
    .map((segment, index) => {
      const back = lows[index]?.toReversed() ?? [];
      return segment.length > 1 && back.length > 1 ? `M${textOf(segment)}L${textOf(back)}z` : "";
    })
    .join("");
}

export interface Box {
  readonly xPx: number;
  readonly yPx: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Returns one path for many rectangles, which is much cheaper than an element for each. */
export function boxesPath(boxes: readonly Box[]): string {
  return boxes
    .map(
      ({ xPx, yPx, widthPx, heightPx }) =>
        `M${short(xPx)} ${short(yPx)}h${short(widthPx)}v${short(heightPx)}h${short(-widthPx)}z`,
    )
    .join("");
}

function textOf(points: readonly PixelPoint[]): string {
  return points.map(({ xPx, yPx }) => `${short(xPx)} ${short(yPx ?? 0)}`).join("L");
}

function short(px: number): number {
  return Math.round(px * 10) / 10;
}
