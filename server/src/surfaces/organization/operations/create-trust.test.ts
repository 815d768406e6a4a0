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
    conflict: async (world) => ({
      path: `/v1/credentials/${await revokedCredential(world)}/trusts`,
      body: newTrustBody(),
    }),
  },
});
