import assert from "node:assert/strict";
import { test } from "node:test";
import { changedMembers, limitsOf, membersOf, NO_LIMITS } from "./limits.ts";

const KEY = { origins: ["https://b.example.com", "https://a.example.com"], requests_per_second: 50 };

test("the limits of a key are texts, and back", () => {
  assert.deepEqual(limitsOf(KEY), { origins: "https://b.example.com, https://a.example.com", rate: "50" });
  assert.deepEqual(membersOf(limitsOf(KEY)), KEY);
  assert.deepEqual(membersOf(NO_LIMITS), { origins: null, requests_per_second: null });
});

test("a request has only the members that changed", () => {
  assert.deepEqual(changedMembers(KEY, limitsOf(KEY)), {});
  assert.deepEqual(changedMembers(KEY, { origins: "https://a.example.com https://b.example.com", rate: "50" }), {});
  assert.deepEqual(changedMembers(KEY, { ...limitsOf(KEY), rate: "" }), { requests_per_second: null });
  assert.deepEqual(changedMembers(KEY, { ...limitsOf(KEY), origins: "https://c.example.com" }), {
    origins: ["https://c.example.com"],
  });
});
