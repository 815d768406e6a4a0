import assert from "node:assert/strict";
import { test } from "node:test";
import { SCOPES } from "@mooring/contract";
import { isSameResources, kindsOf, missingKinds, NO_TEXTS, resourcesIn, resourceWords, textsOf } from "./resources.ts";

const ALL = ["repositories", "buckets", "webhooks", "services"] as const;

test("the fields have the same resources as the credential", () => {
  const resources = {
    repositories: ["shop", "api"],
    buckets: [{ name: "shop" }, { name: "shop", prefix: "in/a, b/" }],
    webhooks: ["wh_1"],
    services: ["check out", "a,b"],
  };
  assert.deepEqual(resourcesIn(textsOf(resources), ALL), resources);
  assert.deepEqual(resourcesIn(textsOf(null), ALL), {});
  assert.ok(isSameResources(resources, { ...resources, repositories: ["api", "shop"] }));
  assert.ok(!isSameResources(resources, { ...resources, buckets: [{ name: "shop" }] }));
  assert.ok(!isSameResources(resources, null));
  assert.ok(!isSameResources({ services: ["a", "b"] }, { services: ["a,Service,b"] }));
  assert.deepEqual(resourceWords(resources).at(3), ["Bucket", "shop/in/a, b/"]);
});

test("spaces around names are dropped, and kept where they are part of the name", () => {
  const texts = { ...NO_TEXTS, repositories: " shop \n\nshop\n", services: " a\n", buckets: "shop/ x \n" };
  assert.deepEqual(resourcesIn(texts, ALL), {
    repositories: ["shop"],
    buckets: [{ name: "shop", prefix: " x " }],
    services: [" a"],
  });
});

test("only the kinds of the chosen permissions are sent, and each needs a resource", () => {
  const kinds = kindsOf(["registry:pull", "registry:push", "files:read", "telemetry:write"]);
  assert.deepEqual(kinds, ["repositories", "services"]);
  const texts = { ...NO_TEXTS, repositories: "shop", buckets: "shop" };
  assert.deepEqual(resourcesIn(texts, kinds), { repositories: ["shop"] });
  assert.deepEqual(missingKinds(texts, kinds), ["services"]);
  assert.deepEqual(kindsOf(SCOPES), ALL);
});
