import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { newS3Key, pendingAt, s3KeyPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

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
