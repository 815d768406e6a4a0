import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listS3Keys, {
  ask: () => ({ path: "/v1/s3/keys?limit=3" }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/s3/keys?project=${name}` })),
});
