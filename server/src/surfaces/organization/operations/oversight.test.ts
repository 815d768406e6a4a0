import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { createProject, SYSTEM } from "#domain/organizations/index.ts";
import { deps, fresh, projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import type { World } from "../testing/world.ts";

const owner = (world: World): string => world.person(world.acme, world.acme.people.owner);
const BODY = { reason: "The team has left" };

/** Returns a private project of an admin, of which the owner is not a member. */
async function ofAdmin(world: World): Promise<string> {
  const input = { slug: fresh("of-admin"), visibility: "private", maintainer: world.acme.people.admin } as const;
  return (await createProject(deps(world), SYSTEM, world.acme.id, input)).id;
}

testOperation(ORGANIZATION_ROUTES.getProjectSize, {
  ask: () => ({ path: "/v1/projects/open/size" }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}/size` })),
});

testOperation(ORGANIZATION_ROUTES.enterProject, {
  ask: async (world) => ({ path: `/v1/projects/${await ofAdmin(world)}/enter`, body: BODY, token: owner(world) }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}/enter`, body: BODY })),
  problems: {
    forbidden: () => Promise.resolve({ path: "/v1/projects/open/enter", body: BODY }),
    conflict: (world) => Promise.resolve({ path: "/v1/projects/closed/enter", body: BODY, token: owner(world) }),
  },
});
