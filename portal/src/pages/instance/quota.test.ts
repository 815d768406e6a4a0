import assert from "node:assert/strict";
import { test } from "node:test";
import { quotaOfText, textOfQuota } from "./quota.ts";

test("a quota is bytes, none, or empty for the setting of the server", () => {
  for (const quota of [null, "none", 0, 5_000_000_000] as const) assert.equal(quotaOfText(textOfQuota(quota)), quota);
  assert.equal(quotaOfText(" 7 "), 7);
});
