import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { createRole, invite, SYSTEM } from "#domain/organizations/index.ts";
import { boundToken, deps, fresh, pair } from "../testing/requests.ts";
import { testOperation, type Ask, type Pair } from "../testing/suite.ts";
import type { World } from "../testing/world.ts";

async function newRole(world: World): Promise<string> {
  const input = { slug: fresh("role"), kind: "organization", scopes: ["org:read"] } as const;
  return (await createRole(deps(world), SYSTEM, world.acme.id, input)).slug;
}

const admin = (world: World): string => world.person(world.acme, world.acme.people.admin);

/** Returns a hidden role: one of another organization. */
async function rolePairs(world: World, askOf: (name: string) => Ask): Promise<Pair[]> {
  const input = { slug: fresh("role"), kind: "organization", scopes: ["org:read"] } as const;
  return [pair((await createRole(deps(world), SYSTEM, world.rival.id, input)).id, askOf)];
}

testOperation(ORGANIZATION_ROUTES.listRoles, {
  ask: () => ({ path: "/v1/roles" }),
  problems: { forbidden: async (world) => ({ path: "/v1/roles", token: await boundToken(world) }) },
});

testOperation(ORGANIZATION_ROUTES.createRole, {
  ask: () => ({
    path: "/v1/roles",
    body: { slug: fresh("made"), name: "Made", kind: "project", scopes: ["files:read"] },
  }),
  problems: {
    forbidden: (world) =>
      Promise.resolve({
        path: "/v1/roles",
        body: { slug: fresh("made"), kind: "organization", scopes: ["members:write"] },
        token: admin(world),
      }),
    duplicate_slug: async (world) => ({
      path: "/v1/roles",
      body: { slug: await newRole(world), kind: "organization", scopes: ["org:read"] },
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.getRole, {
  ask: async (world) => ({ path: `/v1/roles/${await newRole(world)}` }),
  hidden: (world) => rolePairs(world, (name) => ({ path: `/v1/roles/${name}` })),
  problems: {
    forbidden: async (world) => ({ path: `/v1/roles/${await newRole(world)}`, token: await boundToken(world) }),
  },
});

testOperation(ORGANIZATION_ROUTES.updateRole, {
  ask: async (world) => ({ path: `/v1/roles/${await newRole(world)}`, body: { scopes: ["audit:read"] } }),
  hidden: (world) => rolePairs(world, (name) => ({ path: `/v1/roles/${name}`, body: { name: "x" } })),
  problems: {
    forbidden: async (world) => ({
      path: `/v1/roles/${await newRole(world)}`,
      body: { scopes: ["members:write"] },
      token: admin(world),
    }),
    duplicate_slug: async (world) => ({
      path: `/v1/roles/${await newRole(world)}`,
      body: { slug: await newRole(world) },
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.deleteRole, {
  ask: async (world) => ({ path: `/v1/roles/${await newRole(world)}` }),
  hidden: (world) => rolePairs(world, (name) => ({ path: `/v1/roles/${name}` })),
  problems: {
    forbidden: async (world) => ({ path: `/v1/roles/${await newRole(world)}`, token: await boundToken(world) }),
    conflict: async (world) => {
      const customRole = await newRole(world);
      const email = `${fresh("invited")}@example.org`;
      await invite(deps(world), SYSTEM, world.acme.id, { email, role: "custom", customRole });
      return { path: `/v1/roles/${customRole}` };
    },
  },
});
