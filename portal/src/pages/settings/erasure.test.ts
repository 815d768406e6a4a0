import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf, countSql, EMPTY, faultOf, possibleTypes, type Draft } from "./erasure.ts";

const DRAFT: Draft = {
  types: ["logs"],
  conditions: [
    { member: "attributes", key: "user", value: "ann@example.org" },
    { member: "attributes", key: "/a/b", value: "it's" },
    { member: "service", key: "", value: "web" },
  ],
  to: "2026-01-10T00:00:00Z",
};

test("conditions become the values that a row must have", () => {
  assert.equal(faultOf(DRAFT), null);
  assert.deepEqual(bodyOf(DRAFT), {
    types: ["logs"],
    match: { attributes: { user: "ann@example.org", "/a/b": "it's" }, service: "web" },
    to: "2026-01-10T00:00:00Z",
  });
});

test("the count selects the same rows, quoted", () => {
  const sql = countSql({ ...DRAFT, types: ["logs", "traces"] });
  assert.equal(sql.split("UNION ALL").length, 2);
  assert.ok(
    sql.includes("(attributes->>'/a/b' = 'it''s') AND (service = 'web') AND (timestamp < '2026-01-10T00:00:00Z')"),
  );
  assert.ok(
    countSql({ types: ["metrics"], conditions: [{ member: "tags", key: "host", value: "a" }] }).includes(
      "tags['host'] = 'a'",
    ),
  );
});

test("a condition in SQL replaces types and values", () => {
  const draft: Draft = { ...DRAFT, sql: { table: "webhook_events", where: "ip = '::1' -- mine" } };
  assert.equal(faultOf(draft), null);
  assert.deepEqual(bodyOf(draft), {
    types: ["webhook_events"],
    where: "ip = '::1' -- mine",
    to: "2026-01-10T00:00:00Z",
  });
  assert.ok(countSql(draft).includes("FROM webhook_events WHERE (ip = '::1' -- mine\n) AND (timestamp <"));
  assert.match(faultOf({ ...draft, sql: { table: "logs", where: " " } }) ?? "", /condition/);
});

test("conditions that match nothing or everything are explained by an error", () => {
  assert.match(faultOf(EMPTY) ?? "", /value/);
  assert.match(faultOf({ ...DRAFT, conditions: [] }) ?? "", /retention/);
  assert.match(faultOf({ ...DRAFT, types: ["metrics"] }) ?? "", /metrics do not have/);
  assert.match(faultOf({ ...DRAFT, types: [] }) ?? "", /type/);
  assert.match(faultOf({ ...DRAFT, from: "2026-02-01T00:00:00Z" }) ?? "", /after/);
  const twice = [DRAFT.conditions[0], DRAFT.conditions[0]] as Draft["conditions"];
  assert.match(faultOf({ ...DRAFT, conditions: twice }) ?? "", /same field/);
  assert.deepEqual(possibleTypes([{ member: "name", key: "", value: "" }]), ["metrics", "traces"]);
});
