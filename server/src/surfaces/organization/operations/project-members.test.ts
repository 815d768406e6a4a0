import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { fresh, pair, projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import type { World } from "../testing/world.ts";

/** Makes a viewer a maintainer, with a credential that a viewer can't have. Returns the path of the membership. */
async function withCredential(world: World): Promise<string> {
  const viewer = await world.join(world.acme, `${fresh("maintainer")}@example.org`, "viewer");
  const path = `/v1/projects/open/members/${viewer}`;
  await world.call("PUT", path, { token: await world.token(), body: { role: "maintainer" } });
  const tenant = { ...world.acme, people: { ...world.acme.people, viewer } };
  await world.credential({ tenant, by: "viewer", scopes: ["files:write"], projectId: world.acme.open.id });
  return path;
}

testOperation(ORGANIZATION_ROUTES.listProjectMembers, {
  ask: (world) => ({ path: `/v1/projects/${world.acme.open.id}/members` }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}/members` })),
});

testOperation(ORGANIZATION_ROUTES.putProjectMember, {
  ask: (world) => ({ path: `/v1/projects/open/members/${world.acme.people.viewer}`, body: { role: "writer" } }),
  hidden: async (world) => {
    const user = world.acme.people.viewer;
    return [
      ...(await projectPairs(world, (name) => ({
        path: `/v1/projects/${name}/members/${user}`,
        body: { role: "reader" },
      }))),
      pair(world.rival.people.viewer, (name) => ({
        path: `/v1/projects/open/members/${name}`,
        body: { role: "reader" },
      })),
    ];
  },
  problems: {
    forbidden: async (world) => ({
      path: `/v1/projects/open/members/${world.acme.people.developer}`,
      body: { role: "maintainer" },
      token: await world.token({ scopes: ["projects:write", "projects:read"] }),
    }),
    conflict: async (world) => ({
      path: `/v1/projects/closed/members/${world.acme.people.owner}`,
      body: { role: "reader" },
      token: world.person(world.acme, world.acme.people.owner),
    }),
    orphans_undecided: async (world) => ({
      path: `${await withCredential(world)}?orphans=adopt`,
      body: { role: "reader" },
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.deleteProjectMember, {
  ask: async (world) => {
    const path = `/v1/projects/open/members/${world.acme.people.admin}`;
    await world.call("PUT", path, { token: await world.token(), body: { role: "reader" } });
    return { path };
  },
  hidden: (world) =>
    projectPairs(world, (name) => ({ path: `/v1/projects/${name}/members/${world.acme.people.owner}` })),
  problems: {
    conflict: async (world) => ({
      path: `/v1/projects/closed/members/${world.acme.people.owner}`,
      token: world.person(world.acme, world.acme.people.owner),
    }),
    orphans_undecided: async (world) => ({ path: await withCredential(world) }),
  },
});
