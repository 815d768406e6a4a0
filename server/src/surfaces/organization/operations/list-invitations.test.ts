import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listInvitations, {
  ask: () => ({ path: "/v1/invitations" }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/invitations",
      token: await boundToken(world),
    }),
  },
});
