import { ORGANIZATION_ROUTES } from "@mooring/contract";
import {
  credentialPairs,
  newTrust,
  newTrustBody,
  projectPairs,
  revokedCredential,
  trustPairs,
} from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listTrusts, {
  ask: () => ({ path: "/v1/trusts?limit=3" }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/trusts?project=${name}` })),
});

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

testOperation(ORGANIZATION_ROUTES.getTrust, {
  ask: async (world) => ({ path: `/v1/trusts/${await newTrust(world)}` }),
  hidden: (world) => trustPairs(world, (name) => ({ path: `/v1/trusts/${name}` })),
});

testOperation(ORGANIZATION_ROUTES.testTrust, {
  ask: async (world) => ({ path: `/v1/trusts/${await newTrust(world)}/test`, body: { assertion: "no.jwt.here" } }),
  hidden: (world) => trustPairs(world, (name) => ({ path: `/v1/trusts/${name}/test`, body: { assertion: "x" } })),
});

testOperation(ORGANIZATION_ROUTES.deleteTrust, {
  ask: async (world) => ({ path: `/v1/trusts/${await newTrust(world)}` }),
  hidden: (world) => trustPairs(world, (name) => ({ path: `/v1/trusts/${name}` })),
});
