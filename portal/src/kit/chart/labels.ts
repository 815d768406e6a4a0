export interface Label {
  /** The place that it names. */
  readonly atPx: number;
  readonly text: string;
  /** Labels with a greater weight stay; others that are too near give way. */
  readonly weight: number;
}

export interface PlacedLabel extends Label {
  readonly leftPx: number;
}

/** The advance of a character of 11 px in IBM Plex Mono. */
const CHARACTER_PX = 6.6;
const GAP_PX = 8;

export function textPx(text: string): number {
  return text.length * CHARACTER_PX;
}

/** Centres labels at their places within a width, and leaves out those that would meet a more important one. */
export function layoutLabels(labels: readonly Label[], widthPx: number, overPx = 0): readonly PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  for (const label of labels.toSorted((a, b) => b.weight - a.weight || a.atPx - b.atPx)) {
    const px = textPx(label.text);
    const leftPx = Math.max(-overPx, Math.min(widthPx - px, label.atPx - px / 2));
    const isFree = placed.every(
      (other) => leftPx + px + GAP_PX <= other.leftPx || other.leftPx + textPx(other.text) + GAP_PX <= leftPx,
    );
    if (isFree && px <= widthPx) placed.push({ ...label, leftPx });
  }
  return placed.toSorted((a, b) => a.leftPx - b.leftPx);
}

export interface Pennant {
  readonly atPx: number;
  readonly text: string;
}

/** Where the text of a pennant stands: at its right, at its left near the right edge, or nowhere if there is no room. */
export type PennantSide = "right" | "left" | "none";

const PENNANT_PX = 10;

/** Returns the side of each pennant's text. A text that would meet the next pennant or another text is left out. */
export function layoutPennants(pennants: readonly Pennant[], widthPx: number): readonly PennantSide[] {
  const taken: [from: number, to: number][] = pennants.map(({ atPx }) => [atPx, atPx + PENNANT_PX]);
  return pennants.map(({ atPx, text }, index) => {
    const px = textPx(text) + 4;
    const sides: readonly (readonly [PennantSide, number, number])[] = [
      ["right", atPx + PENNANT_PX, atPx + PENNANT_PX + px],
      ["left", atPx - 6 - px, atPx],
    ];
    for (const [side, from, to] of sides) {
      if (from < 0 || to > widthPx) continue;
      if (taken.some(([start, end], at) => at !== index && from < end && to > start)) continue;
      taken.push([from, to]);
      return side;
    }
    return "none";
  });
}

export interface PlacedTag {
  readonly atPx: number;
  readonly text: string;
  readonly leftPx: number;
  /** 0 is the highest row. */
  readonly row: number;
}

const TAG_PADDING_PX = 12;

/** Centres tags at their places within a width. A tag that would meet another one stands a row lower. */
export function layoutTags(
  tags: readonly { readonly atPx: number; readonly text: string }[],
  widthPx: number,
): readonly PlacedTag[] {
  const placed: PlacedTag[] = [];
  const pxOf = (text: string): number => textPx(text) + TAG_PADDING_PX;
  for (const { atPx, text } of tags) {
    const leftPx = Math.max(0, Math.min(widthPx - pxOf(text), atPx - pxOf(text) / 2));
    const meets = (row: number): boolean =>
      placed.some(
        (other) =>
          other.row === row && leftPx < other.leftPx + pxOf(other.text) + 4 && other.leftPx < leftPx + pxOf(text) + 4,
      );
    let row = 0;
    while (meets(row)) row++;
    placed.push({ atPx, text, leftPx, row });
  }
  return placed;
}
