import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { credentialPairs, revokedCredential } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

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
