import { ALLOWED_ORIGINS_MAX } from "@mooring/contract";

export interface OriginList {
  readonly origins: readonly string[];
  readonly fault: string | null;
}

/** Parses origins that are separated by spaces, commas or line ends. The address of a page counts as its origin. */
export function readOrigins(text: string): OriginList {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const origins = [...new Set(words.map((word) => originOf(word) ?? word))];
  const wrong = words.find((word) => originOf(word) === undefined);
  if (wrong !== undefined)
    return { origins, fault: `${wrong.slice(0, 60)} is not an origin; write https://HOST or http://HOST:PORT` };
  const isTooLong = origins.length > ALLOWED_ORIGINS_MAX;
  return { origins, fault: isTooLong ? `Allow at most ${ALLOWED_ORIGINS_MAX} origins` : null };
}

function originOf(word: string): string | undefined {
  const url = URL.parse(word);
  const isPage = url !== null && (url.protocol === "https:" || url.protocol === "http:");
  return isPage && !word.includes("*") ? url.origin : undefined;
}
