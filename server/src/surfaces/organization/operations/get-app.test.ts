import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { appPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.getApp, {
  ask: (world) => ({ path: `/v1/apps/${world.acme.openApp.id}` }),
  hidden: (world) => appPairs(world, (name) => ({ path: `/v1/apps/${name}` })),
});
