/**
 * Returns the offered media type that an `Accept` field prefers (RFC 9110 section 12.5.1), or null when none is
 * acceptable. Offers are in the server's order of preference, which breaks ties.
 */
export function preferredType<T extends string>(accept: string | undefined, offers: readonly [T, ...T[]]): T | null {
  if (accept === undefined || accept.trim() === "") return offers[0];
  const ranges = accept.split(",").map(rangeOf);
  let best: { offer: T; quality: number } | null = null;
  for (const offer of offers) {
    const quality = qualityOf(offer, ranges);
    if (quality > 0 && (best === null || quality > best.quality)) best = { offer, quality };
  }
  return best?.offer ?? null;
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function rangeOf(text: string): Range {
  const [type = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith("q="));
  const quality = q === undefined ? 1 : Number(q.slice(2));
  return { type, quality: Number.isFinite(quality) ? Math.min(1, Math.max(0, quality)) : 0 };
}

/** Returns the quality of the most specific range that matches; 0 without one. */
function qualityOf(offer: string, ranges: readonly Range[]): number {
  const [main = ""] = offer.split("/");
  for (const type of [offer, `${main}/*`, "*/*"]) {
    const range = ranges.find((candidate) => candidate.type === type);
    if (range !== undefined) return range.quality;
  }
  return 0;
}
