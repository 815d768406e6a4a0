import assert from "node:assert/strict";
import { test } from "node:test";
import { resourceKindOf, SCOPES, type Scope } from "@mooring/contract";
import type { Item } from "#domain/projects/index.ts";
import { authorize, decide, holds, reachOf } from "./authorize.ts";
import { intersection, isWithin, withinLimits, type Limits } from "./limits.ts";
import type { CredentialPrincipal } from "./principal.ts";

const NOTHING: Limits = { repositories: new Set(), buckets: new Map(), webhooks: new Set(), services: new Set() };
const SOME: Limits = {
  repositories: new Set(["app_1"]),
  buckets: new Map([["app_1", ["in/", "out/a"]]]),
  webhooks: new Set(["wh_1"]),
  services: new Set(["shop"]),
};
const project = { id: "proj_1", visibility: "organization", state: "active" } as const;
const HERE = { orgId: "org_a", project } as const;

function limited(limits: Limits, scopes: readonly Scope[] = SCOPES): CredentialPrincipal {
  const names = {
    id: "cred_1",
    clientId: "mrc_1",
    orgId: "org_a",
    orgSlug: "a",
    organization: { state: "active", reason: null },
    projectId: null,
  } as const;
  return { kind: "credential", ...names, scopes: new Set(scopes), limits };
}

/** Returns an item of the kind on which the scope acts, inside or outside the limits. */
function itemOf(scope: Scope, id: "inside" | "outside"): Item | undefined {
  const kind = resourceKindOf(scope);
  const inside = { repositories: "app_1", buckets: "app_1", webhooks: "wh_1", services: "shop" } as const;
  return kind === undefined ? undefined : { kind, id: id === "inside" ? inside[kind] : `${inside[kind]}0` };
}

test("a limited credential reaches only its resources, and needs a resource for each act", () => {
  for (const scope of SCOPES) {
    const of = (item: Item | undefined) => authorize(limited(SOME), scope, { ...HERE, ...(item && { item }) });
    const isLimitable = resourceKindOf(scope) !== undefined;
    assert.equal(of(itemOf(scope, "inside")), isLimitable ? "allowed" : "insufficient_scope", scope);
    assert.equal(of(undefined), "insufficient_scope", `${scope} without a resource`);
    assert.equal(of(itemOf(scope, "outside")), isLimitable ? "hidden" : "insufficient_scope", `${scope} outside`);
    assert.equal(authorize(limited(SOME), scope), isLimitable ? "allowed" : "insufficient_scope", `${scope} anywhere`);
    assert.equal(authorize(limited(NOTHING), scope), "insufficient_scope", `${scope} with empty limits`);
    assert.equal(holds(limited(SOME), scope, HERE), false);
  }
});

test("the kind of the resource must be that of the scope", () => {
  for (const scope of SCOPES) {
    const kind = resourceKindOf(scope);
    for (const other of ["repositories", "buckets", "webhooks", "services"] as const) {
      if (other === kind) continue;
      const item = { kind: other, id: "app_1" };
      assert.equal(authorize(limited(SOME), scope, { ...HERE, item }), "insufficient_scope", `${scope} on ${other}`);
    }
  }
});

test("another organization and a missing scope are refused as without limits", () => {
  const item = { kind: "repositories", id: "app_1" } as const;
  assert.equal(authorize(limited(SOME), "registry:pull", { ...HERE, orgId: "org_b", item }), "hidden");
  const puller = limited(SOME, ["registry:pull"]);
  assert.deepEqual(decide(puller, "registry:push", { ...HERE, item }), { allowed: false, reason: { by: "scope" } });
  const outside = { ...HERE, item: { ...item, id: "app_2" } };
  assert.deepEqual(decide(puller, "registry:push", outside), { allowed: false, reason: { by: "hidden" } });
});

test("a list has the ids, and none for a scope without resources", () => {
  assert.deepEqual(reachOf(limited(SOME), "webhooks:read").ids, ["wh_1"]);
  assert.deepEqual(reachOf(limited(SOME), "files:read").ids, []);
  assert.equal(Object.hasOwn(reachOf({ ...limited(SOME), limits: undefined }, "webhooks:read"), "ids"), false);
});

test("a bucket's prefix is the beginning of keys, not of words", () => {
  const at = (path?: string) =>
    withinLimits(SOME, "s3:read", { kind: "buckets", id: "app_1", ...(path === undefined ? {} : { path }) });
  assert.deepEqual(["in/x", "in/", "out/a", "out/ab"].map(at), [true, true, true, true]);
  assert.deepEqual(["", "in", "i", "out/", "out/b", "IN/x"].map(at), [false, false, false, false, false, false]);
  assert.equal(at(), true, "the bucket as such");
});

test("limits are combined without gaining anything", () => {
  const other: Limits = {
    repositories: new Set(["app_1", "app_2"]),
    buckets: new Map([
      ["app_1", ["in/deep/", "ou", "x"]],
      ["app_2", [""]],
    ]),
    webhooks: new Set(["wh_2"]),
    services: new Set(["shop", "api"]),
  };
  const shared = intersection([SOME, other]);
  assert.deepEqual(shared, {
    repositories: new Set(["app_1"]),
    buckets: new Map([["app_1", ["in/deep/", "out/a"]]]),
    webhooks: new Set(),
    services: new Set(["shop"]),
  });
  assert.ok(isWithin(shared, SOME) && isWithin(shared, other));
  assert.equal(isWithin(SOME, other), false);
  assert.deepEqual([isWithin(undefined, SOME), isWithin(SOME, undefined)], [false, true]);
  assert.equal(intersection([]), undefined);
});

test("limits without a common prefix of a bucket do not reach that bucket", () => {
  const elsewhere = { ...NOTHING, buckets: new Map([["app_1", ["other/"]]]) };
  assert.deepEqual(intersection([SOME, elsewhere]), NOTHING);
});

test("limits are within others only if each of their resources is", () => {
  const more: readonly Partial<Limits>[] = [
    { repositories: new Set(["app_2"]) },
    { webhooks: new Set(["wh_2"]) },
    { services: new Set(["api"]) },
    { buckets: new Map([["app_2", [""]]]) },
    { buckets: new Map([["app_1", ["in/deep/", "x"]]]) },
  ];
  for (const change of more) {
    assert.equal(isWithin({ ...SOME, ...change }, SOME), false, Object.keys(change)[0]);
    assert.equal(isWithin({ ...NOTHING, ...change }, SOME), false, `only ${Object.keys(change)[0]}`);
  }
  assert.ok(isWithin(SOME, SOME) && isWithin(NOTHING, SOME));
  assert.ok(isWithin({ ...SOME, buckets: new Map([["app_1", ["in/deep/", "out/ab"]]]) }, SOME));
});
