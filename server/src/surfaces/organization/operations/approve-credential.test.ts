import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { credentialPairs, pendingAt } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

const pathOf = (id: string): string => `/v1/credentials/${id}/approve`;

testOperation(ORGANIZATION_ROUTES.approveCredential, {
  ask: async (world) => ({ path: pathOf(await pendingAt(world, "/v1/credentials")) }),
  hidden: (world) => credentialPairs(world, (name) => ({ path: pathOf(name) })),
  problems: { conflict: async (world) => ({ path: pathOf((await world.credential()).id) }) },
});
