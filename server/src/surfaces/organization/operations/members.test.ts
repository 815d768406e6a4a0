import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken, fresh, pair } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.listMembers, {
  ask: () => ({ path: "/v1/members" }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/members",
      token: await boundToken(world),
    }),
  },
});

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
