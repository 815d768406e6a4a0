import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { testOperation } from "../testing/suite.ts";
import type { World } from "../testing/world.ts";

testOperation(ORGANIZATION_ROUTES.getMe, { ask: () => ({ path: "/v1/me" }) });

let people = 0;
/** A new member, who may delete themselves. */
const member = async (world: World): Promise<{ path: string; token: string }> => {
  const id = await world.join(world.acme, `leaves-${++people}@example.com`, "viewer");
  return { path: "/v1/me", token: world.person(world.acme, id) };
};

testOperation(ORGANIZATION_ROUTES.deleteMe, {
  ask: member,
  problems: {
    forbidden: async (world) => ({ path: "/v1/me", token: await world.token() }),
    conflict: async (world) => {
      const tenant = await world.tenant("alone");
      return { path: "/v1/me", token: world.person(tenant, tenant.people.owner) };
    },
  },
});
