import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listCredentials, {
  ask: () => ({ path: "/v1/credentials?limit=3" }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/credentials?project=${name}` })),
});
