import assert from "node:assert/strict";
import { test } from "node:test";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken } from "../testing/requests.ts";
import { assertProblem, testOperation } from "../testing/suite.ts";
import { sharedWorld, type World } from "../testing/world.ts";

testOperation(ORGANIZATION_ROUTES.getOrganization, {
  ask: () => ({ path: "/v1/organization" }),
  problems: { forbidden: async (world) => ({ path: "/v1/organization", token: await boundToken(world) }) },
});

testOperation(ORGANIZATION_ROUTES.updateOrganization, {
  ask: () => ({ path: "/v1/organization", body: { name: "Acme" } }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/organization",
      body: { name: "x" },
      token: await boundToken(world),
    }),
    conflict: (world) =>
      Promise.resolve({
        path: "/v1/organization",
        body: { policy: { allowed_addresses: ["192.0.2.0/24"], allowed_addresses_for: "people" } },
        token: world.person(world.acme, world.acme.people.owner),
      }),
    second_factor_required: async (world) => ({
      path: "/v1/organization",
      body: { policy: { second_factor_required: true } },
      token: world.person(world.acme, world.acme.people.owner),
    }),
    provider_sign_in_required: async (world) => ({
      path: "/v1/organization",
      body: { policy: { sign_in: "provider" } },
      token: world.person(world.acme, world.acme.people.owner),
    }),
  },
});

/** The owner, in the state that the request needs. The requests of a test change the state again and again. */
async function asOwner(world: World, state: "active" | "deleting"): Promise<string> {
  await world.suspend(state);
  return world.person(world.acme, world.acme.people.owner);
}

const deletion = (world: World): string => `/v1/organization?slug=${world.acme.slug}`;

testOperation(ORGANIZATION_ROUTES.deleteOrganization, {
  ask: async (world) => ({ path: deletion(world), token: await asOwner(world, "active") }),
  problems: {
    forbidden: async (world) => {
      await world.suspend("active");
      return { path: deletion(world), token: world.person(world.acme, world.acme.people.admin) };
    },
  },
});

testOperation(ORGANIZATION_ROUTES.keepOrganization, {
  ask: async (world) => ({ path: "/v1/organization/keep", body: {}, token: await asOwner(world, "deleting") }),
  problems: {
    forbidden: async (world) => {
      await world.suspend("active");
      return { path: "/v1/organization/keep", body: {}, token: await world.token() };
    },
    conflict: async (world) => ({
      path: "/v1/organization/keep",
      body: {},
      token: await asOwner(world, "active"),
    }),
  },
});

test("a deletion needs the slug, blocks everything but keeping, and the state from before returns", async () => {
  const world = await sharedWorld();
  const { acme } = world;
  const owner = await asOwner(world, "active");
  const credential = await world.token();
  const call = (method: string, path: string, token: string, body?: object) =>
    world.call(method, path, { token, body });
  await world.suspend("active");
  const wrong = await call("DELETE", "/v1/organization?slug=other", owner);
  assertProblem(wrong, "invalid_parameter");
  assertProblem(await call("DELETE", deletion(world), credential), "forbidden");
  const deleted = await call("DELETE", deletion(world), owner);
  assert.deepEqual([deleted.status, deleted.json["state"], deleted.json["propagated"]], [200, "deleting", true]);
  const days = (Date.parse(String(deleted.json["deletes_at"])) - world.clock.nowMs()) / 86_400_000;
  assert.ok(days > 29.9 && days <= 30, String(days));
  for (const token of [owner, credential, world.person(acme, acme.people.admin)]) {
    for (const path of ["/v1/me", "/v1/organization", "/v1/audit"])
      assertProblem(await call("GET", path, token), "organization_blocked");
    if (token !== owner) assert.equal((await call("POST", "/v1/organization/keep", token, {})).status, 403);
  }
  const kept = await call("POST", "/v1/organization/keep", owner, {});
  assert.deepEqual([kept.status, kept.json["state"], kept.json["deletes_at"]], [200, "active", null], kept.text);
  assert.equal((await call("GET", "/v1/me", credential)).status, 200, "issued tokens work again");
  const rows = await world.metadata.read
    .selectFrom("audit")
    .select(["org_id", "action"])
    .where("target_id", "=", acme.id)
    .where("action", "in", ["organization.delete", "organization.keep"])
    .where("actor_id", "=", acme.people.owner)
    .orderBy("at")
    .orderBy("seq")
    .execute();
  for (const orgId of [acme.id, ""])
    assert.deepEqual(
      rows.filter(({ org_id }) => org_id === orgId).map(({ action }) => action),
      ["organization.delete", "organization.keep"],
      `the log of ${orgId}`,
    );
});
