import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { boundToken } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";

testOperation(ORGANIZATION_ROUTES.getOrganization, {
  ask: () => ({ path: "/v1/organization" }),
  problems: { forbidden: async (world) => ({ path: "/v1/organization", token: await boundToken(world) }) },
});

testOperation(ORGANIZATION_ROUTES.updateOrganization, {
  ask: () => ({ path: "/v1/organization", body: { name: "Acme" } }),
  problems: {
    forbidden: async (world) => ({
      path: "/v1/organization",
      body: { name: "x" },
      token: await boundToken(world),
    }),
    conflict: (world) =>
      Promise.resolve({
        path: "/v1/organization",
        body: { policy: { allowed_addresses: ["192.0.2.0/24"], allowed_addresses_for: "people" } },
        token: world.person(world.acme, world.acme.people.owner),
      }),
    second_factor_required: async (world) => ({
      path: "/v1/organization",
      body: { policy: { second_factor_required: true } },
      token: world.person(world.acme, world.acme.people.owner),
    }),
    provider_sign_in_required: async (world) => ({
      path: "/v1/organization",
      body: { policy: { sign_in: "provider" } },
      token: world.person(world.acme, world.acme.people.owner),
    }),
  },
});
