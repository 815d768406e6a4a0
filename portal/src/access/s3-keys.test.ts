import assert from "node:assert/strict";
import { test } from "node:test";
import { isKeyScope, namesIn, reaches, reachText, scopesText } from "./s3-keys.ts";

test("a key's reach is described by buckets and a prefix", () => {
  assert.equal(reachText({ buckets: null, prefix: "" }), "every bucket");
  assert.equal(reachText({ buckets: ["shop", "logs"], prefix: "2026/" }), "shop, logs: 2026/");
  assert.ok(reaches({ buckets: null, project_id: null }, { slug: "shop", project_id: "p1" }));
  assert.ok(!reaches({ buckets: ["logs"], project_id: null }, { slug: "shop", project_id: "p1" }));
  assert.ok(!reaches({ buckets: null, project_id: "p2" }, { slug: "shop", project_id: "p1" }));
});

test("a key that is limited to buckets reaches these only", () => {
  const key = {
    buckets: null,
    prefix: "",
    project_id: null,
    resources: { buckets: [{ name: "shop", prefix: "in/" }] },
  };
  assert.equal(reachText(key), "shop/in/");
  assert.ok(reaches(key, { slug: "shop", project_id: "p1" }));
  assert.ok(!reaches(key, { slug: "logs", project_id: "p1" }));
});

test("a list of names is split and loses duplicates", () => {
  assert.deepEqual(namesIn(" shop, logs  shop\n"), ["shop", "logs"]);
  assert.deepEqual(namesIn("  "), []);
});

test("scopes in words", () => {
  assert.equal(scopesText(["s3:read", "apps:write"]), "read, buckets");
  assert.equal(scopesText([]), "nothing");
  assert.ok(isKeyScope("apps:write"));
  assert.ok(!isKeyScope("files:read"));
});
