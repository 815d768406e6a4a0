import { describe } from "node:test";
import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { newS3Key, pendingAt, projectPairs, s3KeyPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listS3Keys, {
  ask: () => ({ path: "/v1/s3/keys?limit=3" }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/s3/keys?project=${name}` })),
});

testOperation(ORGANIZATION_ROUTES.createS3Key, {
  ask: () => ({ path: "/v1/s3/keys", body: { name: "made", buckets: ["shop"], prefix: "a/", read_only: true } }),
  hidden: (world) => projectPairs(world, (name) => ({ path: "/v1/s3/keys", body: { name: "x", project: name } })),
  problems: {
    forbidden: async (world) => {
      const strict = await world.tenant("strict");
      const owner = world.person(strict, strict.people.owner);
      const policy = { allowed_scopes: ["s3:read"] };
      await world.call("PATCH", "/v1/organization", { token: owner, body: { policy } });
      return { path: "/v1/s3/keys", body: { name: "x", scopes: ["s3:write"] }, token: owner };
    },
  },
});

testOperation(ORGANIZATION_ROUTES.getS3Key, {
  ask: async (world) => ({ path: `/v1/s3/keys/${await newS3Key(world)}` }),
  hidden: (world) => s3KeyPairs(world, (name) => ({ path: `/v1/s3/keys/${name}` })),
});

testOperation(ORGANIZATION_ROUTES.getS3KeyActivity, {
  ask: async (world) => ({ path: `/v1/s3/keys/${await newS3Key(world)}/activity` }),
  hidden: (world) => s3KeyPairs(world, (name) => ({ path: `/v1/s3/keys/${name}/activity` })),
});

describe("updateS3Key", () => {
  const pathOf = (id: string): string => `/v1/s3/keys/${id}`;

  testOperation(ORGANIZATION_ROUTES.updateS3Key, {
    ask: async (world) => ({
      path: pathOf(await newS3Key(world)),
      body: { name: "other", allowed_addresses: ["10.1.2.3/8", "::ffff:192.0.2.1"] },
    }),
    hidden: (world) => s3KeyPairs(world, (name) => ({ path: pathOf(name), body: { name: "x" } })),
    problems: {
      forbidden: async (world) => {
        const path = pathOf(await pendingAt(world, "/v1/s3/keys"));
        const owner = world.person(world.acme, world.acme.people.owner);
        await world.call("PATCH", path, { token: owner, body: { allowed_addresses: ["10.0.0.0/8"] } });
        const token = world.person(world.acme, world.acme.people.developer);
        return { path, token, body: { allowed_addresses: null } };
      },
      conflict: async (world) => {
        const id = await newS3Key(world);
        await world.call("DELETE", pathOf(id), { token: await world.token() });
        return { path: pathOf(id), body: { name: "x" } };
      },
    },
  });
});

describe("approveS3Key", () => {
  const pathOf = (id: string): string => `/v1/s3/keys/${id}/approve`;

  testOperation(ORGANIZATION_ROUTES.approveS3Key, {
    ask: async (world) => ({ path: pathOf(await pendingAt(world, "/v1/s3/keys")) }),
    hidden: (world) => s3KeyPairs(world, (name) => ({ path: pathOf(name) })),
    problems: { conflict: async (world) => ({ path: pathOf(await newS3Key(world)) }) },
  });
});

describe("adoptS3Key", () => {
  const pathOf = (id: string): string => `/v1/s3/keys/${id}/adopt`;

  testOperation(ORGANIZATION_ROUTES.adoptS3Key, {
    ask: async (world) => ({ path: pathOf(await newS3Key(world)) }),
    hidden: (world) => s3KeyPairs(world, (name) => ({ path: pathOf(name) })),
    problems: {
      forbidden: async (world) => {
        const strict = await world.tenant("adopts-keys");
        const token = world.person(strict, strict.people.owner);
        const id = await newS3Key(world, strict);
        const policy = { allowed_scopes: ["audit:read"] };
        await world.call("PATCH", "/v1/organization", { token, body: { policy } });
        return { path: pathOf(id), token };
      },
      conflict: async (world) => {
        const id = await newS3Key(world);
        await world.call("DELETE", `/v1/s3/keys/${id}`, { token: await world.token() });
        return { path: pathOf(id) };
      },
    },
  });
});

describe("rotateS3Key", () => {
  const pathOf = (id: string): string => `/v1/s3/keys/${id}/rotate`;

  testOperation(ORGANIZATION_ROUTES.rotateS3Key, {
    ask: async (world) => ({ path: pathOf(await newS3Key(world)), body: { overlap_seconds: 60 } }),
    hidden: (world) => s3KeyPairs(world, (name) => ({ path: pathOf(name), body: {} })),
    problems: {
      conflict: async (world) => {
        const id = await newS3Key(world);
        await world.call("DELETE", `/v1/s3/keys/${id}`, { token: await world.token() });
        return { path: pathOf(id), body: {} };
      },
    },
  });
});

testOperation(ORGANIZATION_ROUTES.revokeS3Key, {
  ask: async (world) => ({ path: `/v1/s3/keys/${await newS3Key(world)}` }),
  hidden: (world) => s3KeyPairs(world, (name) => ({ path: `/v1/s3/keys/${name}` })),
  problems: {
    conflict: async (world) => ({ path: `/v1/s3/keys/${await newS3Key(world)}?orphans=adopt&reason=leak` }),
  },
});
