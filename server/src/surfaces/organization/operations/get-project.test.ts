import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.getProject, {
  ask: (world) => ({ path: `/v1/projects/${world.acme.open.id}` }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}` })),
});
