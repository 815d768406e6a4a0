import assert from "node:assert/strict";
import { test } from "node:test";
import { faultOf, fits, queryOf, sqlOf, type WebhookEvent } from "./filters.ts";

const EVENT: WebhookEvent = {
  id: "evt_1",
  webhook_id: "hook_1",
  received_at: "2026-01-10T12:00:00Z",
  type: "order.paid",
  method: "POST",
  query: "",
  headers: [["X-Region", "eu"]],
  content_type: "application/json",
  size_bytes: 10,
  ip: "192.0.2.1",
  verified: "github",
  duplicates: 0,
  cursor: "c",
  body_format: "json",
  body: '{"order":{"id":17,"note":"It\'s Paid"}}',
  body_base64: null,
  json: { order: { id: 17, note: "It's Paid" } },
};

test("a new event matches the filters exactly if the server finds it", () => {
  const fitting = [
    {},
    { type: "order.paid" },
    { from: "2026-01-10T12:00:00Z", to: "2026-01-10T12:00:01Z" },
    { header: "x-region" },
    { header: "X-Region: eu" },
    { pointer: "/order/id" },
    { pointer: "/order/id=17" },
    { q: "it's paid" },
    { verified: "yes" },
    { verified: "github" },
    { pointer: "not one" },
  ];
  const others = [
    { type: "order" },
    { to: "2026-01-10T12:00:00Z" },
    { header: "X-Region: us" },
    { header: "X-Other" },
    { pointer: "/order/id=18" },
    { pointer: "/order/id/x" },
    { q: "unpaid" },
    { verified: "no" },
    { verified: "stripe" },
  ];
  for (const filters of fitting) assert.ok(fits(EVENT, filters), JSON.stringify(filters));
  for (const filters of others) assert.ok(!fits(EVENT, filters), JSON.stringify(filters));
});

test("malformed conditions are not sent, and get a hint about their form", () => {
  assert.deepEqual(queryOf({ pointer: "order", header: "a b", q: "", type: "x", verified: "perhaps" }), { type: "x" });
  assert.deepEqual(queryOf({ verified: "github" }), { verified: "github" });
  assert.match(faultOf("verified", "none") ?? "", /yes, no/);
  assert.equal(faultOf("pointer", "/a/b=c"), null);
  assert.match(faultOf("pointer", "a") ?? "", /\/order\/id/);
  assert.match(faultOf("header", ": x") ?? "", /X-Name/);
});

test("texts within the statement are quoted", () => {
  const sql = sqlOf("hook_1", { type: "it's", pointer: "/a=b", verified: "no", header: "X-A:b" });
  for (const part of ["type = 'it''s'", "json->>'/a' = 'b'", "verified = 'none'", "lower(field->>0) = 'x-a'"])
    assert.ok(sql.includes(part), part);
});
