import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { credentialPairs, newTrustBody, revokedCredential } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.createTrust, {
  ask: async (world) => ({
    path: `/v1/credentials/${(await world.credential()).id}/trusts`,
    body: { ...newTrustBody(), audience: "https://id.example", claims: { environment: "production" } },
  }),
  hidden: (world) =>
    credentialPairs(world, (name) => ({ path: `/v1/credentials/${name}/trusts`, body: newTrustBody() })),
  problems: {
    forbidden: async (world) => {
      const strict = await world.tenant("strict");
      const { id } = await world.credential({ tenant: strict, projectId: strict.open.id, scopes: ["apps:read"] });
      await world.call("PATCH", "/v1/organization", {
        token: world.person(strict, strict.people.owner),
        body: { policy: { approval_required: true } },
      });
      const scopes = ["credentials:write", "apps:read"] as const;
      const token = await world.token({ tenant: strict, scopes });
      return { path: `/v1/credentials/${id}/trusts`, body: newTrustBody(), token };
    },
    conflict: async (world) => ({
      path: `/v1/credentials/${await revokedCredential(world)}/trusts`,
      body: newTrustBody(),
    }),
  },
});
