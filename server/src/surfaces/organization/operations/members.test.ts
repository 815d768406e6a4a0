import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken, fresh, pair } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import type { World } from "../testing/world.ts";

/** Adds a developer with a credential that a viewer can't have. Returns their id. */
async function withCredential(world: World): Promise<string> {
  const developer = await world.join(world.acme, `${fresh("maker")}@example.org`, "developer");
  const tenant = { ...world.acme, people: { ...world.acme.people, developer } };
  await world.credential({ tenant, by: "developer", scopes: ["files:write"] });
  return developer;
}

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
    orphans_undecided: async (world) => ({
      path: `/v1/members/${await withCredential(world)}?orphans=adopt`,
      body: { role: "viewer" },
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.endMemberAccess, {
  ask: (world) => ({ path: `/v1/members/${world.acme.people.viewer}/end-access` }),
  hidden: (world) => [pair(world.rival.people.viewer, (name) => ({ path: `/v1/members/${name}/end-access` }))],
  problems: {
    forbidden: async (world) => ({
      path: `/v1/members/${world.acme.people.owner}/end-access`,
      token: world.person(world.acme, world.acme.people.admin),
    }),
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
    orphans_undecided: async (world) => ({ path: `/v1/members/${await withCredential(world)}` }),
  },
});
