import assert from "node:assert/strict";
import { test } from "node:test";
import { expiryOf, namesIn, reaches, reachText, scopesText, stateOf } from "./s3-keys.ts";

const now = new Date("2026-11-20T12:00:00Z");
const live = {
  revoked_at: null,
  pending: false,
  expires_at: null,
  scopes: ["s3:read" as const],
  effective_scopes: ["s3:read" as const],
};

test("a key's state is the worst that is true of it", () => {
  assert.equal(stateOf(live, now), "live");
  assert.equal(stateOf({ ...live, effective_scopes: [] }, now), "cut");
  assert.equal(stateOf({ ...live, effective_scopes: [], pending: true }, now), "pending");
  assert.equal(stateOf({ ...live, expires_at: "2026-11-20T12:00:00Z" }, now), "expired");
  assert.equal(stateOf({ ...live, expires_at: "2026-11-20T12:00:01Z" }, now), "live");
  assert.equal(
    stateOf({ ...live, expires_at: "2020-01-01T00:00:00Z", revoked_at: "2026-01-01T00:00:00Z" }, now),
    "revoked",
  );
});

test("reach is buckets and a prefix", () => {
  assert.equal(reachText({ buckets: null, prefix: "" }), "every bucket");
  assert.equal(reachText({ buckets: ["shop", "logs"], prefix: "2026/" }), "shop, logs: 2026/");
  assert.ok(reaches({ buckets: null, project_id: null }, { slug: "shop", project_id: "p1" }));
  assert.ok(!reaches({ buckets: ["logs"], project_id: null }, { slug: "shop", project_id: "p1" }));
  assert.ok(!reaches({ buckets: null, project_id: "p2" }, { slug: "shop", project_id: "p1" }));
});

test("names are taken apart, each once", () => {
  assert.deepEqual(namesIn(" shop, logs  shop\n"), ["shop", "logs"]);
  assert.deepEqual(namesIn("  "), []);
});

test("scopes and times in words", () => {
  assert.equal(scopesText(["s3:read", "apps:write"]), "read, buckets");
  assert.equal(scopesText([]), "nothing");
  assert.equal(expiryOf("", now), null);
  assert.equal(expiryOf("30", now), "2026-12-20T12:00:00.000Z");
});
