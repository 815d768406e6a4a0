import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { credentialPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.getCredential, {
  ask: async (world) => ({ path: `/v1/credentials/${(await world.credential()).id}` }),
  hidden: (world) => credentialPairs(world, (name) => ({ path: `/v1/credentials/${name}` })),
});
