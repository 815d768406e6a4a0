import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listEndings, {
  ask: () => ({ path: "/v1/endings" }),
  problems: {
    forbidden: async (world) => ({ path: "/v1/endings", token: await boundToken(world) }),
  },
});
