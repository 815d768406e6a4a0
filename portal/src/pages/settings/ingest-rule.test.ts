import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf, EMPTY, faultOf, possibleTypes, previewOf, type Draft } from "./ingest-rule.ts";

const draft = (change: Partial<Draft>): Draft => ({ ...EMPTY, name: "rule", ...change });

test("the body has only the members that were filled in", () => {
  assert.deepEqual(bodyOf(draft({ name: " a ", service: "shop", attribute: "user", value: "7" })), {
    name: "a",
    types: ["logs"],
    match: { service: "shop", attributes: { user: "7" } },
    action: "drop",
  });
  const limited = draft({ project: "proj_1", key: "cred_1" });
  assert.deepEqual([bodyOf(limited).project, bodyOf(limited).key_id], ["proj_1", "cred_1"]);
  assert.equal(previewOf(limited, "logs").project, "proj_1");
  assert.deepEqual(previewOf(draft({ action: "sample", keepOneOf: "5" }), "traces"), {
    type: "traces",
    match: {},
    action: "sample",
    keep_one_of: 5,
  });
  assert.deepEqual(bodyOf(draft({ action: "mask", masks: ["email"] })).masks, ["email"]);
});

test("a draft that can't be a rule has a sentence", () => {
  assert.equal(faultOf(draft({})), null);
  assert.deepEqual(possibleTypes(draft({ member: "m" })), ["metrics", "traces"]);
  const wrong: Partial<Draft>[] = [
    { name: " " },
    { types: [] },
    { types: ["logs", "traces"], level: "debug" },
    { types: ["logs"], member: "m" },
    { value: "7" },
    { action: "sample", keepOneOf: "1" },
    { action: "sample", keepOneOf: "x" },
    { action: "mask", masks: [] },
  ];
  for (const each of wrong) assert.notEqual(faultOf(draft(each)), null, JSON.stringify(each));
});
