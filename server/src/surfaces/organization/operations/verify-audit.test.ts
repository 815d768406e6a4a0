import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.verifyAudit, {
  ask: () => ({ path: "/v1/audit/verify" }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/audit/verify",
      token: await boundToken(world),
    }),
  },
});
