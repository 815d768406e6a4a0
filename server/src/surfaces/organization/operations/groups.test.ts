import { ORGANIZATION_ROUTES } from "@mooring/contract";
import { createGroup, setGroupMember, setProjectGroup, SYSTEM } from "#domain/organizations/index.ts";
import { boundToken, deps, fresh, guestPair, newMember, pair, projectPairs } from "../testing/requests.ts";
import { testOperation, type Ask, type Pair } from "../testing/suite.ts";
import type { Tenant, World } from "../testing/world.ts";

async function newGroup(world: World, tenant: Tenant = world.acme): Promise<string> {
  return (await createGroup(deps(world), SYSTEM, tenant.id, { slug: fresh("group") })).id;
}

/** Returns a group with a role in a private project that admins do not see. */
async function closedGroup(world: World): Promise<string> {
  const group = await newGroup(world);
  const options = { group, role: "reader", endsAtMs: null, ifMatch: undefined } as const;
  await setProjectGroup(deps(world), SYSTEM, world.acme.closed, options);
  return group;
}

const admin = (world: World): string => world.person(world.acme, world.acme.people.admin);

/** Returns a hidden group: one of another organization. */
async function groupPairs(world: World, askOf: (name: string) => Ask): Promise<Pair[]> {
  return [pair(await newGroup(world, world.rival), askOf)];
}

const forbidden =
  (ask: Omit<Ask, "token">) =>
  async (world: World): Promise<Ask> => ({
    ...ask,
    token: await boundToken(world),
  });

testOperation(ORGANIZATION_ROUTES.listGroups, {
  ask: () => ({ path: "/v1/groups" }),
  problems: { forbidden: forbidden({ path: "/v1/groups" }) },
});

testOperation(ORGANIZATION_ROUTES.createGroup, {
  ask: () => ({ path: "/v1/groups", body: { slug: fresh("made"), name: "Team" } }),
  problems: {
    forbidden: (world) =>
      Promise.resolve({ path: "/v1/groups", body: { slug: fresh("made"), claim: "x" }, token: admin(world) }),
    duplicate_slug: async (world) => {
      const slug = fresh("taken");
      await createGroup(deps(world), SYSTEM, world.acme.id, { slug });
      return { path: "/v1/groups", body: { slug } };
    },
    conflict: async (world) => {
      const claim = fresh("claim");
      await createGroup(deps(world), SYSTEM, world.acme.id, { slug: fresh("group"), claim });
      return { path: "/v1/groups", body: { slug: fresh("made"), claim } };
    },
  },
});

testOperation(ORGANIZATION_ROUTES.getGroup, {
  ask: async (world) => ({ path: `/v1/groups/${await newGroup(world)}` }),
  hidden: (world) => groupPairs(world, (name) => ({ path: `/v1/groups/${name}` })),
  problems: {
    forbidden: async (world) => ({ path: `/v1/groups/${await newGroup(world)}`, token: await boundToken(world) }),
  },
});

testOperation(ORGANIZATION_ROUTES.updateGroup, {
  ask: async (world) => ({ path: `/v1/groups/${await newGroup(world)}`, body: { name: "Other", claim: fresh("c") } }),
  hidden: (world) => groupPairs(world, (name) => ({ path: `/v1/groups/${name}`, body: { name: "x" } })),
  problems: {
    forbidden: async (world) => ({
      path: `/v1/groups/${await newGroup(world)}`,
      body: { claim: "x" },
      token: admin(world),
    }),
    duplicate_slug: async (world) => {
      const slug = fresh("taken");
      await createGroup(deps(world), SYSTEM, world.acme.id, { slug });
      return { path: `/v1/groups/${await newGroup(world)}`, body: { slug } };
    },
    conflict: async (world) => {
      const claim = fresh("claim");
      await createGroup(deps(world), SYSTEM, world.acme.id, { slug: fresh("group"), claim });
      return { path: `/v1/groups/${await newGroup(world)}`, body: { claim } };
    },
  },
});

testOperation(ORGANIZATION_ROUTES.deleteGroup, {
  ask: async (world) => ({ path: `/v1/groups/${await newGroup(world)}` }),
  hidden: (world) => groupPairs(world, (name) => ({ path: `/v1/groups/${name}` })),
  problems: {
    forbidden: async (world) => ({ path: `/v1/groups/${await newGroup(world)}`, token: await boundToken(world) }),
  },
});

testOperation(ORGANIZATION_ROUTES.listGroupMembers, {
  ask: async (world) => ({ path: `/v1/groups/${await newGroup(world)}/members` }),
  hidden: (world) => groupPairs(world, (name) => ({ path: `/v1/groups/${name}/members` })),
  problems: {
    forbidden: async (world) => ({
      path: `/v1/groups/${await newGroup(world)}/members`,
      token: await boundToken(world),
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.putGroupMember, {
  ask: async (world) => ({
    path: `/v1/groups/${await newGroup(world)}/members/${world.acme.people.viewer}`,
    body: { expires_at: null },
  }),
  hidden: async (world) => {
    const group = await newGroup(world);
    const { people } = world.acme;
    return [
      ...(await groupPairs(world, (name) => ({ path: `/v1/groups/${name}/members/${people.viewer}`, body: {} }))),
      pair(world.rival.people.viewer, (name) => ({ path: `/v1/groups/${group}/members/${name}`, body: {} })),
    ];
  },
  problems: {
    forbidden: async (world) => ({
      path: `/v1/groups/${await closedGroup(world)}/members/${world.acme.people.admin}`,
      body: {},
      token: admin(world),
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.deleteGroupMember, {
  ask: async (world) => {
    const group = await newGroup(world);
    const userId = world.acme.people.viewer;
    await setGroupMember(deps(world), SYSTEM, world.acme.id, { group, userId, endsAtMs: null, ifMatch: undefined });
    return { path: `/v1/groups/${group}/members/${userId}` };
  },
  hidden: (world) => groupPairs(world, (name) => ({ path: `/v1/groups/${name}/members/${world.acme.people.viewer}` })),
  problems: {
    forbidden: async (world) => ({
      path: `/v1/groups/${await newGroup(world)}/members/${world.acme.people.viewer}`,
      token: await boundToken(world),
    }),
    conflict: async (world) => {
      const group = await newGroup(world);
      const userId = await newMember(world, "viewer");
      const row = { org_id: world.acme.id, group_id: group, user_id: userId, created_at: 1, expires_at: null };
      await world.metadata.write((tx) =>
        tx
          .insertInto("group_member")
          .values({ ...row, source: "oidc" })
          .execute(),
      );
      return { path: `/v1/groups/${group}/members/${userId}` };
    },
  },
});

testOperation(ORGANIZATION_ROUTES.listProjectGroups, {
  ask: () => ({ path: "/v1/projects/open/groups" }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}/groups` })),
});

testOperation(ORGANIZATION_ROUTES.putProjectGroup, {
  ask: async (world) => ({ path: `/v1/projects/open/groups/${await newGroup(world)}`, body: { role: "writer" } }),
  hidden: async (world) => {
    const group = await newGroup(world);
    const body = { role: "reader" };
    return [
      ...(await projectPairs(world, (name) => ({ path: `/v1/projects/${name}/groups/${group}`, body }))),
      ...(await groupPairs(world, (name) => ({ path: `/v1/projects/open/groups/${name}`, body }))),
      await guestPair(world, group, (name) => ({ path: `/v1/projects/of-guest/groups/${name}`, body })),
    ];
  },
  problems: {
    forbidden: async (world) => ({
      path: `/v1/projects/open/groups/${await newGroup(world)}`,
      body: { role: "maintainer" },
      token: await world.token({ scopes: ["projects:write", "projects:read", "org:read"] }),
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.deleteProjectGroup, {
  ask: async (world) => {
    const group = await newGroup(world);
    const options = { group, role: "reader", endsAtMs: null, ifMatch: undefined } as const;
    await setProjectGroup(deps(world), SYSTEM, world.acme.open, options);
    return { path: `/v1/projects/open/groups/${group}` };
  },
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}/groups/no-such-group` })),
});
