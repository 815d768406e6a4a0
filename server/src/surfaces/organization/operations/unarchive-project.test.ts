import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { newProject, projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.unarchiveProject, {
  ask: async (world) => ({ path: `/v1/projects/${await newProject(world)}/unarchive` }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}/unarchive` })),
});
