import assert from "node:assert/strict";
import { test } from "node:test";
import { filtersOf, queryOf, sqlOf } from "./filters.ts";

test("an address gives the filters, and ignores other parameters", () => {
  const filters = filtersOf({ actor: 17, action: "", entry: "aud_1", result: "denied" });
  assert.deepEqual(filters, { actor: "17", result: "denied" });
  assert.deepEqual(queryOf({ result: "odd", target: "t" }), { target: "t" });
});

test("the statement has the same filters, quoted", () => {
  assert.ok(!sqlOf({}).includes("WHERE"));
  const sql = sqlOf({ action: "it's.", to: "2026-01-10T12:00:00Z", request_id: "r" });
  for (const part of ["starts_with(action, 'it''s.')", "timestamp < '2026-01-10T12:00:00Z'", "request_id = 'r'"])
    assert.ok(sql.includes(part), part);
});
