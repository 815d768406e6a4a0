import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { pair } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.updateMember, {
  ask: (world) => ({ path: `/v1/members/${world.acme.people.viewer}`, body: { role: "viewer" } }),
  hidden: (world) => [
    pair(world.rival.people.viewer, (name) => ({ path: `/v1/members/${name}`, body: { role: "viewer" } })),
  ],
  problems: {
    forbidden: async (world) => ({
      path: `/v1/members/${world.acme.people.viewer}`,
      body: { role: "owner" },
      token: world.person(world.acme, world.acme.people.admin),
    }),
    conflict: async (world) => ({ path: `/v1/members/${world.acme.people.owner}`, body: { role: "viewer" } }),
  },
});
