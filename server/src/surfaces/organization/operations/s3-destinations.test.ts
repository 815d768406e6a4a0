import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken, fresh, newS3Destination, pair } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listS3Destinations, {
  ask: () => ({ path: "/v1/s3/destinations?limit=3" }),
  problems: {
    forbidden: async (world) => ({ path: "/v1/s3/destinations", token: await boundToken(world) }),
  },
});

testOperation(ORGANIZATION_ROUTES.createS3Destination, {
  ask: () => ({ path: "/v1/s3/destinations", body: { name: fresh("made"), url: "https://93.184.215.14/x" } }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/s3/destinations",
      body: { name: "x", url: "https://93.184.215.14/x" },
      token: await boundToken(world),
    }),
    conflict: async (world) => ({
      path: "/v1/s3/destinations",
      body: { name: (await newS3Destination(world)).name, url: "https://93.184.215.14/x" },
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.getS3Destination, {
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
