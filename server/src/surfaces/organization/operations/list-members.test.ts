import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listMembers, {
  ask: () => ({ path: "/v1/members" }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/members",
      token: await boundToken(world),
    }),
  },
});
