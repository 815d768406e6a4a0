/** The tests that every object store driver must pass. A driver's test calls `objectContract` with its places. */
import { describe, test } from "node:test";
import { COLLECTING } from "./suite/collecting.ts";
import type { ObjectCases, TestPlace } from "./suite/harness.ts";
import { PARTS } from "./suite/parts.ts";
import { READING } from "./suite/reading.ts";
import { SCRUBBING } from "./suite/scrubbing.ts";
import { WRITING } from "./suite/writing.ts";

export type { TestPlace } from "./suite/harness.ts";

const CASES: ObjectCases = { ...WRITING, ...READING, ...PARTS, ...COLLECTING, ...SCRUBBING };

/** Cases that write much data. */
const LARGE: ReadonlySet<string> = new Set([
  "10,000 parts: composed in one transaction, read in ranges, unlinked",
  "1,000 blobs are collected in one run",
  "content of every size is read as it was written, from each kind of input",
]);

/** Each case gets a new place. @param size runs only the large cases or only the others; absent: all */
export function objectContract(name: string, provide: () => Promise<TestPlace>, size?: "large" | "small"): void {
  const cases = Object.entries(CASES).filter(([what]) => size === undefined || LARGE.has(what) === (size === "large"));
  describe(`objects: ${name}`, () => {
    for (const [what, show] of cases) {
      test(what, async () => {
        const place = await provide();
        const store = await place.open();
        try {
          await show(store, place);
        } finally {
          await store.close();
          await place.remove();
        }
      });
    }
  });
}
