import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { fresh, projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.createApp, {
  ask: () => ({ path: "/v1/apps", body: { project: "open", slug: fresh("made-app") } }),
  hidden: (world) => projectPairs(world, (name) => ({ path: "/v1/apps", body: { project: name, slug: fresh("app") } })),
  problems: { duplicate_slug: async () => ({ path: "/v1/apps", body: { project: "open", slug: "acme-closed" } }) },
});
