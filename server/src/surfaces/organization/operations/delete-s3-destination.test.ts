import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken, newS3Destination, pair } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.deleteS3Destination, {
  ask: async (world) => ({ path: `/v1/s3/destinations/${(await newS3Destination(world)).id}` }),
  hidden: async (world) => [
    pair((await newS3Destination(world, world.rival)).id, (name) => ({ path: `/v1/s3/destinations/${name}` })),
  ],
  problems: {
    forbidden: async (world) => ({
      path: `/v1/s3/destinations/${(await newS3Destination(world)).id}`,
      token: await boundToken(world),
    }),
  },
});
