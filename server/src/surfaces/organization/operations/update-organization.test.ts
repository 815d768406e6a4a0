import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken, stale } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.updateOrganization, {
  ask: () => ({ path: "/v1/organization", body: { name: "Acme" } }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/organization",
      body: { name: "x" },
      token: await boundToken(world),
    }),
    precondition_failed: async () => ({ path: "/v1/organization", body: { name: "x" }, headers: stale }),
  },
});
