import assert from "node:assert/strict";
import { test } from "node:test";
import { preferredType } from "./accept.ts";

const OFFERS = ["application/json", "application/x-ndjson", "text/csv"] as const;

const CASES: readonly [string | undefined, string | null][] = [
  [undefined, "application/json"],
  ["", "application/json"],
  ["*/*", "application/json"],
  ["text/csv", "text/csv"],
  ["TEXT/CSV", "text/csv"],
  ["text/*", "text/csv"],
  ["application/*;q=0.1, text/csv;q=0.2", "text/csv"],
  ["application/json;q=0.5, application/x-ndjson", "application/x-ndjson"],
  ["application/json;q=0, */*", "application/x-ndjson"],
  ["image/png", null],
  ["application/json;q=0", null],
  ["application/json;q=nonsense", null],
];

for (const [accept, expected] of CASES) {
  test(`Accept ${JSON.stringify(accept)} prefers ${expected}`, () => {
    assert.equal(preferredType(accept, OFFERS), expected);
  });
}
