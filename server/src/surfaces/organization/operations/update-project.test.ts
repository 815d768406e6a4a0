import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { newProject, projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

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
