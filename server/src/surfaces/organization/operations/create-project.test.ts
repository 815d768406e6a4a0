import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken, fresh } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

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
