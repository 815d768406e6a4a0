import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { fresh, pair } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.deleteMember, {
  ask: async (world) => ({
    path: `/v1/members/${await world.join(world.acme, `${fresh("leaver")}@example.org`, "developer")}`,
  }),
  hidden: (world) => [pair(world.rival.people.viewer, (name) => ({ path: `/v1/members/${name}` }))],
  problems: {
    forbidden: async (world) => ({
      path: `/v1/members/${world.acme.people.owner}`,
      token: world.person(world.acme, world.acme.people.admin),
    }),
    conflict: async (world) => ({ path: `/v1/members/${world.acme.people.owner}` }),
  },
});
