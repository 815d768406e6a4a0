import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { newTrust, trustPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.getTrust, {
  ask: async (world) => ({ path: `/v1/trusts/${await newTrust(world)}` }),
  hidden: (world) => trustPairs(world, (name) => ({ path: `/v1/trusts/${name}` })),
});
