import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { fresh } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.createInvitation, {
  ask: () => ({ path: "/v1/invitations", body: { email: `${fresh("invited")}@example.org`, role: "developer" } }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/invitations",
      body: { email: "boss@example.org", role: "owner" },
      token: world.person(world.acme, world.acme.people.admin),
    }),
    conflict: async () => ({ path: "/v1/invitations", body: { email: "viewer@acme.example", role: "viewer" } }),
  },
});
