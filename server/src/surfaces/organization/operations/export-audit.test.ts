import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.exportAudit, {
  ask: () => ({ path: "/v1/audit/export" }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/audit/export",
      token: await boundToken(world),
    }),
  },
});
