/** What the object store must do, wherever its driver keeps the bytes. A driver's test calls `objectContract` with its places. */
import { describe, test } from "node:test";
import { COLLECTING } from "./contract/collecting.ts";
import type { ObjectCases, TestPlace } from "./contract/harness.ts";
import { PARTS } from "./contract/parts.ts";
import { READING } from "./contract/reading.ts";
import { SCRUBBING } from "./contract/scrubbing.ts";
import { WRITING } from "./contract/writing.ts";

export type { TestPlace } from "./contract/harness.ts";

const CASES: ObjectCases = { ...WRITING, ...READING, ...PARTS, ...COLLECTING, ...SCRUBBING };

/** Each case gets a new place. */
export function objectContract(name: string, provide: () => Promise<TestPlace>): void {
  describe(`objects: ${name}`, () => {
    for (const [what, show] of Object.entries(CASES)) {
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
