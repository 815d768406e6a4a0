import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken, fresh, newS3Destination } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

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
