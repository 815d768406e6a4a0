import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken, credentialPairs, pendingAt, projectPairs, revokedCredential } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import { sharedWorld, type World } from "../testing/world.ts";

testOperation(ORGANIZATION_ROUTES.listCredentials, {
  ask: () => ({ path: "/v1/credentials?limit=3" }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/credentials?project=${name}` })),
});

testOperation(ORGANIZATION_ROUTES.createCredential, {
  ask: () => ({ path: "/v1/credentials", body: { name: "made", scopes: ["apps:read"] } }),
  hidden: (world) =>
    projectPairs(world, (name) => ({
      path: "/v1/credentials",
      body: { name: "x", scopes: ["apps:read"], project: name },
    })),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/credentials",
      body: { name: "x", scopes: ["apps:read"] },
      token: await boundToken(world),
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.getCredential, {
  ask: async (world) => ({ path: `/v1/credentials/${(await world.credential()).id}` }),
  hidden: (world) => credentialPairs(world, (name) => ({ path: `/v1/credentials/${name}` })),
});

describe("getCredentialActivity", () => {
  const pathOf = (id: string): string => `/v1/credentials/${id}/activity`;

  testOperation(ORGANIZATION_ROUTES.getCredentialActivity, {
    ask: async (world) => ({ path: pathOf((await world.credential()).id) }),
    hidden: (world) => credentialPairs(world, (name) => ({ path: pathOf(name) })),
  });

  describe("a credential's activity", () => {
    let world: World;
    before(async () => {
      world = await sharedWorld();
    });
    after(() => world.close());

    const activityOf = async (id: string) => {
      await world.identity.activity.flush();
      return (await world.call("GET", pathOf(id), { token: await world.token() })).json;
    };

    test("is counted by address, with the refused requests", async () => {
      const { id, token } = await world.credential({ scopes: ["org:read"] });
      const headers = { "user-agent": "deploy/1" };
      for (const path of ["/v1/organization", "/v1/organization", "/v1/audit"])
        await world.call("GET", path, { token, headers });
      const { by_address: [address, ...others] = [], ...activity } = (await activityOf(id)) as {
        by_address?: Record<string, unknown>[];
      };
      assert.deepEqual(activity, {
        last_hour: { requests: 3, refused: 1 },
        last_day: { requests: 3, refused: 1 },
        by_service: [{ service: "organization", requests: 3 }],
      });
      assert.deepEqual(others, []);
      const { last_at: lastAt, ...rest } = address ?? {};
      assert.deepEqual(rest, { ip: "127.0.0.1", user_agent: "deploy/1", requests: 3 });
      assert.ok(Date.now() - Date.parse(String(lastAt)) < 60_000);
    });

    test("in a project is shown inside the project, without others' requests", async () => {
      const { id, token } = await world.credential({ projectId: world.acme.open.id });
      const other = await world.credential({ projectId: world.acme.open.id });
      await world.call("GET", "/v1/me", { token: other.token });
      await world.identity.activity.flush();
      const answer = await world.call("GET", pathOf(id), { token });
      assert.deepEqual(answer.json["last_day"], { requests: 0, refused: 0 });
      assert.deepEqual(answer.json["by_address"], []);
      assert.deepEqual((await activityOf(other.id))["last_day"], { requests: 1, refused: 0 });
    });
  });
});

testOperation(ORGANIZATION_ROUTES.updateCredential, {
  ask: async (world) => ({
    path: `/v1/credentials/${(await world.credential()).id}`,
    body: { name: "other", scopes: ["apps:read"] },
  }),
  hidden: (world) => credentialPairs(world, (name) => ({ path: `/v1/credentials/${name}`, body: { name: "x" } })),
  problems: {
    forbidden: async (world) => {
      const strict = await world.tenant("strict");
      const owner = world.person(strict, strict.people.owner);
      const { id } = await world.credential({ tenant: strict, scopes: ["apps:read"] });
      await world.call("PATCH", "/v1/organization", {
        token: owner,
        body: { policy: { allowed_scopes: ["apps:read"] } },
      });
      return { path: `/v1/credentials/${id}`, body: { scopes: ["audit:read"] }, token: owner };
    },
    conflict: async (world) => ({ path: `/v1/credentials/${await revokedCredential(world)}`, body: { name: "x" } }),
  },
});

describe("approveCredential", () => {
  const pathOf = (id: string): string => `/v1/credentials/${id}/approve`;

  testOperation(ORGANIZATION_ROUTES.approveCredential, {
    ask: async (world) => ({ path: pathOf(await pendingAt(world, "/v1/credentials")) }),
    hidden: (world) => credentialPairs(world, (name) => ({ path: pathOf(name) })),
    problems: { conflict: async (world) => ({ path: pathOf((await world.credential()).id) }) },
  });
});

describe("adoptCredential", () => {
  const pathOf = (id: string): string => `/v1/credentials/${id}/adopt`;

  testOperation(ORGANIZATION_ROUTES.adoptCredential, {
    ask: async (world) => ({ path: pathOf((await world.credential({ by: "owner" })).id) }),
    hidden: (world) => credentialPairs(world, (name) => ({ path: pathOf(name) })),
    problems: {
      forbidden: async (world) => {
        const strict = await world.tenant("adopts");
        const token = world.person(strict, strict.people.owner);
        const { id } = await world.credential({ tenant: strict, scopes: ["apps:read"] });
        const policy = { allowed_scopes: ["audit:read"] };
        await world.call("PATCH", "/v1/organization", { token, body: { policy } });
        return { path: pathOf(id), token };
      },
      conflict: async (world) => ({ path: pathOf(await revokedCredential(world)) }),
    },
  });
});

testOperation(ORGANIZATION_ROUTES.rotateCredential, {
  ask: async (world) => ({
    path: `/v1/credentials/${(await world.credential()).id}/rotate`,
    body: { overlap_seconds: 60 },
  }),
  hidden: (world) => credentialPairs(world, (name) => ({ path: `/v1/credentials/${name}/rotate`, body: {} })),
  problems: {
    conflict: async (world) => ({ path: `/v1/credentials/${await revokedCredential(world)}/rotate`, body: {} }),
  },
});

testOperation(ORGANIZATION_ROUTES.revokeCredential, {
  ask: async (world) => ({ path: `/v1/credentials/${(await world.credential()).id}` }),
  hidden: (world) => credentialPairs(world, (name) => ({ path: `/v1/credentials/${name}` })),
  problems: {
    conflict: async (world) => ({
      path: `/v1/credentials/${(await world.credential()).id}?reason=leak&orphans=adopt`,
    }),
  },
});
