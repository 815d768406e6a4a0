import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { appPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.updateApp, {
  ask: () => ({ path: "/v1/apps/acme-open", body: { name: "Open app" } }),
  hidden: (world) => appPairs(world, (name) => ({ path: `/v1/apps/${name}`, body: { name: "x" } })),
});
