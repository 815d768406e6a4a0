import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { credentialPairs, revokedCredential } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.rotateCredential, {
  ask: async (world) => ({
    path: `/v1/credentials/${(await world.credential()).id}/rotate`,
    body: { overlap_seconds: 60 },
  }),
  hidden: (world) => credentialPairs(world, (name) => ({ path: `/v1/credentials/${name}/rotate`, body: {} })),
  problems: {
    conflict: async (world) => ({ path: `/v1/credentials/${await revokedCredential(world)}/rotate`, body: {} }),
  },
});
