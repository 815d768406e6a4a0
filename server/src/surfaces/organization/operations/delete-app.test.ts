import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { appPairs, newApp } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.deleteApp, {
  ask: async (world) => ({ path: `/v1/apps/${await newApp(world)}` }),
  hidden: (world) => appPairs(world, (name) => ({ path: `/v1/apps/${name}` })),
});
