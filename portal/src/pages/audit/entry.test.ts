import assert from "node:assert/strict";
import { test } from "node:test";
import { markOf, summaryOf, changesAndFacts } from "./entry.ts";

test("before and after are compared member by member, and only differences are shown", () => {
  const { changes, facts } = changesAndFacts({
    before: { name: "Shop", policy: { allowed_scopes: null, days: 30 } },
    after: { name: "Shop", policy: { allowed_scopes: ["files:read", "s3:read"], days: 7 } },
    by: "retention",
  });
  assert.deepEqual(changes, [
    { path: "policy.allowed_scopes", before: undefined, after: "files:read, s3:read" },
    { path: "policy.days", before: "30", after: "7" },
  ]);
  assert.deepEqual(facts, [["by", "retention"]]);
});

test("from and to, and added and removed scopes, are shown as changes", () => {
  const content = changesAndFacts({
    user: "usr_1",
    role: { from: null, to: "owner" },
    raised: "files:read",
    lowered: "",
  });
  assert.deepEqual(content.changes, [
    { path: "role", before: undefined, after: "owner" },
    { path: "scopes added", before: undefined, after: "files:read" },
  ]);
  assert.deepEqual(content.facts, [["user", "usr_1"]]);
  assert.equal(summaryOf({ role: { from: "viewer", to: "owner" } }), "role: viewer → owner");
  assert.equal(summaryOf({ overlap_seconds: 60 }), "overlap seconds: 60");
  assert.equal(summaryOf({}), "");
});

test("two lists show removed and added items", () => {
  const list = (scopes: string[]): object => ({ policy: { allowed_scopes: scopes } });
  assert.deepEqual(changesAndFacts({ before: list(["a", "b", "c"]), after: list(["b", "c", "d"]) }).changes, [
    { path: "policy.allowed_scopes", before: "a", after: "d" },
  ]);
  assert.equal(summaryOf({ role: { from: null, to: "owner" } }), "role: not set → owner");
});

test("other values are shown unchanged", () => {
  assert.deepEqual(changesAndFacts({ before: 1, after: 2, list: [1, { a: 2 }] }), {
    changes: [],
    facts: [
      ["before", "1"],
      ["after", "2"],
      ["list", '[1,{"a":2}]'],
    ],
  });
});

test("revocations, permissions, secrets and refusals are marked", () => {
  const marks = [
    ["credential.revoke", "revoked"],
    ["member.remove", "revoked"],
    ["member.update", "rights"],
    ["project.member.update", "rights"],
    ["webhook.url.reveal", "secret"],
    ["credential.rotate", "secret"],
    ["project.create", null],
  ] as const;
  for (const [action, mark] of marks) assert.equal(markOf({ action, result: "success" }), mark, action);
  assert.equal(markOf({ action: "token.refuse", result: "denied" }), "refused");
});
