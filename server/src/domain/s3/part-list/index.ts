import { createHash } from "node:crypto";
import type { CompletedPart, PartList } from "../types/index.ts";

/** For large lists this runs in a separate thread, so it imports nothing else of the domain. */
export function partList(named: readonly CompletedPart[]): PartList {
  const parts = named.filter(({ number }, i) => named[i + 1]?.number !== number);
  const pairs = JSON.stringify(parts.map(({ number, etag }) => [number, etag]));
  return {
    count: parts.length,
    isInOrder: named.every(({ number }, i) => number >= (named[i - 1]?.number ?? 1)),
    json: JSON.stringify(parts),
    digest: createHash("sha256").update(pairs).digest("hex"),
  };
}
