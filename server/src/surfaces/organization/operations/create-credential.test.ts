import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken, projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

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
