import assert from "node:assert/strict";
import { test } from "node:test";
import { draftsOf, membersOf, movedUp, NEW_RULE, rulesFault, rulesOf, type RulesBody } from "./retention-draft.ts";

const RULES: RulesBody["rules"] = [
  { name: "Audit", type: "logs", match: { service: "web", attributes: { kind: "audit", "/a/b": "c" } }, days: 365 },
  { name: "Host", type: "metrics", match: { tags: { host: "a" } }, days: 3 },
];

test("rules become fields and the same rules again", () => {
  assert.deepEqual(rulesOf(draftsOf(RULES)), RULES);
  assert.equal(rulesFault(draftsOf(RULES)), null);
});

test("incomplete rules are explained, and rules move up", () => {
  assert.match(rulesFault([NEW_RULE]) ?? "", /name/);
  assert.match(rulesFault([{ ...NEW_RULE, name: "A" }]) ?? "", /value/);
  const [audit] = draftsOf(RULES);
  assert.ok(audit !== undefined);
  assert.match(rulesFault([{ ...audit, type: "metrics" }]) ?? "", /not for metrics/);
  assert.match(rulesFault([1, 2, 3, 4, 5].map((days) => ({ ...audit, days: String(days) }))) ?? "", /four|4/);
  assert.deepEqual(movedUp(["a", "b", "c"], 2), ["a", "c", "b"]);
  assert.ok(!membersOf("logs").some(({ name }) => name === "message"));
});
