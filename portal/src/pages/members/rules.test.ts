import assert from "node:assert/strict";
import { test } from "node:test";
import { whyFixed, whyNotGiven } from "./rules.ts";

test("the last owner stays, and only owners change owners", () => {
  const question = { mine: "owner", mayWrite: true, present: "owner", owners: 1 } as const;
  assert.match(whyFixed(question) ?? "", /last owner/);
  assert.equal(whyFixed({ ...question, owners: 2 }), null);
  assert.match(whyFixed({ ...question, mine: "admin", owners: 2 }) ?? "", /Only an owner/);
  assert.match(whyFixed({ ...question, mine: "viewer", mayWrite: false }) ?? "", /members:write/);
  assert.equal(whyFixed({ ...question, mine: "admin", present: "viewer" }), null);
});

test("only owners make owners, and nobody gives permissions that they lack", () => {
  assert.equal(whyNotGiven("owner", "owner"), null);
  assert.match(whyNotGiven("owner", "admin") ?? "", /Only an owner/);
  assert.equal(whyNotGiven("admin", "admin"), null);
  assert.match(whyNotGiven("viewer", "developer") ?? "", /permissions that you lack/);
});
