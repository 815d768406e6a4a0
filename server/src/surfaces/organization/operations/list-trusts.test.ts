import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listTrusts, {
  ask: () => ({ path: "/v1/trusts?limit=3" }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/trusts?project=${name}` })),
});
