import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken, fresh, newProject, projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import type { World } from "../testing/world.ts";

testOperation(ORGANIZATION_ROUTES.listProjects, { ask: () => ({ path: "/v1/projects?limit=2" }) });

testOperation(ORGANIZATION_ROUTES.createProject, {
  ask: () => ({ path: "/v1/projects", body: { slug: fresh("made") } }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/projects",
      body: { slug: fresh("made") },
      token: await boundToken(world),
    }),
    duplicate_slug: async () => ({ path: "/v1/projects", body: { slug: "closed" } }),
  },
});

testOperation(ORGANIZATION_ROUTES.getProject, {
  ask: (world) => ({ path: `/v1/projects/${world.acme.open.id}` }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}` })),
});

testOperation(ORGANIZATION_ROUTES.updateProject, {
  ask: (world) => ({
    path: "/v1/projects/open",
    body: { name: "Open" },
    token: world.person(world.acme, world.acme.people.owner),
  }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}`, body: { name: "x" } })),
  problems: {
    duplicate_slug: async (world) => ({ path: `/v1/projects/${await newProject(world)}`, body: { slug: "closed" } }),
    conflict: async (world) => ({ path: `/v1/projects/${await newProject(world)}`, body: { visibility: "private" } }),
  },
});

testOperation(ORGANIZATION_ROUTES.archiveProject, {
  ask: async (world) => ({ path: `/v1/projects/${await newProject(world)}/archive` }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}/archive` })),
});

testOperation(ORGANIZATION_ROUTES.unarchiveProject, {
  ask: async (world) => ({ path: `/v1/projects/${await newProject(world)}/unarchive` }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}/unarchive` })),
});

testOperation(ORGANIZATION_ROUTES.deleteProject, {
  ask: async (world) => ({ path: `/v1/projects/${await newProject(world)}` }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}` })),
  problems: { conflict: async (world) => ({ path: `/v1/projects/${await lockedProject(world)}` }) },
});

testOperation(ORGANIZATION_ROUTES.lockProject, {
  ask: async (world) => ({ path: `/v1/projects/${await lockedProject(world)}/lock` }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}/lock` })),
  problems: { conflict: async (world) => ({ path: `/v1/projects/${await newProject(world)}/lock` }) },
});

testOperation(ORGANIZATION_ROUTES.unlockProject, {
  ask: async (world) => ({ path: `/v1/projects/${await newProject(world)}/unlock` }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}/unlock` })),
  problems: { forbidden: async (world) => ({ path: `/v1/projects/${await lockedProject(world)}/unlock` }) },
});

async function lockedProject(world: World): Promise<string> {
  const [id, token] = [await newProject(world), await world.token()];
  await world.call("PATCH", `/v1/projects/${id}`, { token, body: { environment: "production" } });
  await world.call("POST", `/v1/projects/${id}/lock`, { token });
  return id;
}
