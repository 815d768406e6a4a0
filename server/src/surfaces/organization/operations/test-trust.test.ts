import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { newTrust, trustPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.testTrust, {
  ask: async (world) => ({ path: `/v1/trusts/${await newTrust(world)}/test`, body: { assertion: "no.jwt.here" } }),
  hidden: (world) => trustPairs(world, (name) => ({ path: `/v1/trusts/${name}/test`, body: { assertion: "x" } })),
});
