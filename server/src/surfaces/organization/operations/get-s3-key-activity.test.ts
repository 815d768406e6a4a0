import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { newS3Key, s3KeyPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.getS3KeyActivity, {
  ask: async (world) => ({ path: `/v1/s3/keys/${await newS3Key(world)}/activity` }),
  hidden: (world) => s3KeyPairs(world, (name) => ({ path: `/v1/s3/keys/${name}/activity` })),
});
