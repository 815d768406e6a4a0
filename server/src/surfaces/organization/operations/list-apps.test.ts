import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listApps, {
  ask: () => ({ path: "/v1/apps?project=open" }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/apps?project=${name}` })),
});
