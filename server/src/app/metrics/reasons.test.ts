import assert from "node:assert/strict";
import { test } from "node:test";
import { ENTRY_REFUSAL_NAMES } from "@mooring/contract";
import { FAMILIES } from "#kernel/metrics/index.ts";

test("refused rows have the reasons of the contract as label", () => {
  assert.deepEqual(FAMILIES.mooring_ingest_rows_refused_total.labels.reason, ENTRY_REFUSAL_NAMES);
});
