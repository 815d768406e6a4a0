import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { ingestKeyPairs, newIngestKey, pendingAt, projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import { sharedWorld, type World } from "../testing/world.ts";

const PATH = "/v1/ingest-keys";
const pathOf = (id: string): string => `${PATH}/${id}`;

testOperation(ORGANIZATION_ROUTES.listIngestKeys, {
  ask: () => ({ path: `${PATH}?limit=3` }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `${PATH}?project=${name}` })),
});

testOperation(ORGANIZATION_ROUTES.createIngestKey, {
  ask: () => ({
    path: PATH,
    body: {
      name: "made",
      resources: { services: ["checkout"] },
      origins: ["https://*.example.com"],
      requests_per_second: 9,
    },
  }),
  hidden: (world) => projectPairs(world, (name) => ({ path: PATH, body: { name: "x", project: name } })),
  problems: {
    forbidden: async (world) => {
      const strict = await world.tenant("no-ingest");
      const owner = world.person(strict, strict.people.owner);
      const policy = { allowed_scopes: ["s3:read"] };
      await world.call("PATCH", "/v1/organization", { token: owner, body: { policy } });
      return { path: PATH, body: { name: "x" }, token: owner };
    },
  },
});

testOperation(ORGANIZATION_ROUTES.getIngestKey, {
  ask: async (world) => ({ path: pathOf(await newIngestKey(world)) }),
  hidden: (world) => ingestKeyPairs(world, (name) => ({ path: pathOf(name) })),
});

testOperation(ORGANIZATION_ROUTES.updateIngestKey, {
  ask: async (world) => ({
    path: pathOf(await newIngestKey(world)),
    body: { name: "other", origins: ["http://localhost:3000"], requests_per_second: 5 },
  }),
  hidden: (world) => ingestKeyPairs(world, (name) => ({ path: pathOf(name), body: { name: "x" } })),
  problems: {
    forbidden: async (world) => {
      const path = pathOf(await pendingAt(world, PATH));
      const owner = world.person(world.acme, world.acme.people.owner);
      await world.call("PATCH", path, { token: owner, body: { origins: ["https://a.example.com"] } });
      const token = world.person(world.acme, world.acme.people.developer);
      return { path, token, body: { origins: null } };
    },
    conflict: async (world) => {
      const id = await newIngestKey(world);
      await world.call("DELETE", pathOf(id), { token: await world.token() });
      return { path: pathOf(id), body: { name: "x" } };
    },
  },
});

testOperation(ORGANIZATION_ROUTES.rotateIngestKey, {
  ask: async (world) => ({ path: `${pathOf(await newIngestKey(world))}/rotate`, body: { overlap_seconds: 60 } }),
  hidden: (world) => ingestKeyPairs(world, (name) => ({ path: `${pathOf(name)}/rotate`, body: {} })),
  problems: {
    conflict: async (world) => {
      const id = await newIngestKey(world);
      await world.call("DELETE", pathOf(id), { token: await world.token() });
      return { path: `${pathOf(id)}/rotate`, body: {} };
    },
  },
});

testOperation(ORGANIZATION_ROUTES.revokeIngestKey, {
  ask: async (world) => ({ path: pathOf(await newIngestKey(world)) }),
  hidden: (world) => ingestKeyPairs(world, (name) => ({ path: pathOf(name) })),
  problems: { conflict: async (world) => ({ path: `${pathOf(await newIngestKey(world))}?orphans=adopt&reason=leak` }) },
});

describe("ingest keys and the operations of credentials", () => {
  let world: World;
  before(async () => {
    world = await sharedWorld();
  });
  after(() => world.close());

  test("limits of another form are refused with their place", async () => {
    const token = await world.token();
    for (const [body, pointer] of [
      [{ origins: ["https://example.com/"] }, "/origins/0"],
      [{ origins: ["https://*.com"] }, "/origins/0"],
      [{ origins: ["https://EXAMPLE.com"] }, "/origins/0"],
      [{ requests_per_second: 0 }, "/requests_per_second"],
      [{ resources: { buckets: [{ name: "shop" }] } }, "/resources/buckets"],
    ] as const) {
      const { status, json } = await world.call("POST", PATH, { token, body: { name: "x", ...body } });
      assert.equal(status, 400, JSON.stringify(json));
      assert.ok(JSON.stringify(json["errors"]).includes(pointer), JSON.stringify(json));
    }
  });

  test("a key is a credential of its kind: it is approved, adopted and rotated as one, and gets no other scope", async () => {
    const token = await world.token();
    const id = await newIngestKey(world);
    const path = `/v1/credentials/${id}`;
    const seen = await world.call("GET", path, { token });
    assert.deepEqual([seen.json["kind"], seen.json["scopes"]], ["ingest", ["telemetry:write"]]);
    const rotated = await world.call("POST", `${path}/rotate`, { token, body: {} });
    assert.match(String(rotated.json["client_secret"]), /^mrik_\w{49}$/);
    assert.equal((await world.call("POST", `${path}/adopt`, { token })).status, 200);
    const wider = await world.call("PATCH", path, { token, body: { scopes: ["files:read"] } });
    assert.equal(wider.status, 400, JSON.stringify(wider.json));
    const trust = { name: "t", issuer: "https://issuer.example.com", subject: "x" };
    assert.equal((await world.call("POST", `${path}/trusts`, { token, body: trust })).status, 409);
  });
});
