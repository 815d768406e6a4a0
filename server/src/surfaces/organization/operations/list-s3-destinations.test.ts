import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listS3Destinations, {
  ask: () => ({ path: "/v1/s3/destinations?limit=3" }),
  problems: {
    forbidden: async (world) => ({ path: "/v1/s3/destinations", token: await boundToken(world) }),
  },
});
