import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.getOrganization, {
  ask: () => ({ path: "/v1/organization" }),
  problems: { forbidden: async (world) => ({ path: "/v1/organization", token: await boundToken(world) }) },
});
