/** The lists of conformance tests: one that passed never leaves the list, and one that fails has a reason. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { failures, passes } from "../s3-conformance/lists.ts";

/** The number of passing tests at the last update. It may only be raised. */
const PASSES_MIN = 638;

test("the lists of conformance tests are complete", () => {
  const passing = passes();
  assert.ok(passing.length >= PASSES_MIN, `${passing.length} tests, and there were ${PASSES_MIN}`);
  assert.deepEqual(passing, [...new Set(passing)].toSorted(), "sorted, each once");
  const reasons = failures();
  assert.deepEqual(
    passing.filter((name) => reasons.has(name)),
    [],
    "tests are in both lists",
  );
  for (const [name, reason] of reasons) assert.ok(reason.length > 10, `${name} has no reason`);
});
