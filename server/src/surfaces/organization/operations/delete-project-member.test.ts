import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

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
  },
});
