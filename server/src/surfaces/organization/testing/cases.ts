import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { createProject, invite, SYSTEM } from "#domain/organizations/index.ts";
import { newId } from "#kernel/ids.ts";
import { newSecret } from "#kernel/secrets.ts";
import { systemClock } from "#kernel/time.ts";
import { PASSWORD, type Call, type Tenant, type World } from "./world.ts";

/** One request of an operation; the token is whole unless given. */
export interface Ask extends Call {
  readonly path: string;
}

export interface Case {
  /** A request that succeeds. May be asked for many times. */
  readonly ask: (world: World) => Promise<Ask> | Ask;
  /**
   * Requests that name what the caller may not know of, each with one that names what does not exist: the answers must be
   * the same. Absent where an operation names no resource.
   */
  readonly hidden?: (world: World) => Promise<readonly Pair[]> | readonly Pair[];
  /** Problems of the row that need a situation of their own. */
  readonly problems?: Readonly<Record<string, (world: World) => Promise<Ask>>>;
}

export interface Pair {
  readonly hidden: Ask;
  readonly absent: Ask;
  /** The two names, of equal length. */
  readonly names: readonly [string, string];
}

type OperationId = keyof typeof ORGANIZATION_ROUTES;

let counter = 0;
const fresh = (prefix: string): string => `${prefix}-${++counter}`;
const absentId = (like: string): string => newId(like.slice(0, like.indexOf("_")) as "proj", 1);
const deps = (world: World) => ({ metadata: world.metadata, clock: systemClock });

/** A hidden name and an absent one in the same place of a path, and optionally a body. */
function pair(name: string, askOf: (name: string) => Ask, absent = absentId(name)): Pair {
  return { hidden: askOf(name), absent: askOf(absent), names: [name, absent] };
}

/** A private project of the caller's organization by id and slug, one of another organization, and an organization-wide project to a credential of another. */
async function projectPairs(world: World, askOf: (name: string) => Ask): Promise<Pair[]> {
  const other = await createProject(deps(world), SYSTEM, world.acme.id, { slug: fresh("elsewhere") });
  const bound = await world.token({ projectId: world.acme.open.id });
  return [
    pair(world.acme.closed.id, askOf),
    pair("closed", askOf, "absent"),
    pair(world.rival.open.id, askOf),
    pair(other.id, (name) => ({ ...askOf(name), token: bound })),
    pair(world.acme.closed.id, (name) => ({ ...askOf(name), token: world.person(world.acme, world.acme.people.admin) })),
  ];
}

function appPairs(world: World, askOf: (name: string) => Ask): Pair[] {
  return [
    pair(world.acme.closedApp.id, askOf),
    pair("acme-closed", askOf, "acme-absent"),
    pair(world.rival.openApp.id, askOf),
    pair(world.acme.closedApp.id, (name) => ({ ...askOf(name), token: world.person(world.acme, world.acme.people.admin) })),
  ];
}

/** One of another organization, one of a private project, and one of the organization to a credential of a project. */
async function credentialPairs(world: World, askOf: (name: string) => Ask): Promise<Pair[]> {
  const bound = await world.token({ projectId: world.acme.open.id });
  return [
    pair((await world.credential({ tenant: world.rival })).id, askOf),
    pair((await world.credential({ projectId: world.acme.closed.id })).id, askOf),
    pair((await world.credential()).id, (name) => ({ ...askOf(name), token: bound })),
  ];
}

async function newProject(world: World): Promise<string> {
  return (await createProject(deps(world), SYSTEM, world.acme.id, { slug: fresh("project") })).id;
}

async function newApp(world: World): Promise<string> {
  const body = { project: world.acme.open.id, slug: fresh("new-app") };
  return (await world.call("POST", "/v1/apps", { token: await world.token(), body })).json["id"] as string;
}

async function newInvitation(world: World, tenant: Tenant = world.acme): Promise<{ id: string; token: string }> {
  const { invitation, token } = await invite(deps(world), SYSTEM, tenant.id, { email: `${fresh("guest")}@example.org`, role: "viewer" });
  return { id: invitation.id, token };
}

const stale = { "if-match": '"stale"' };
const isTaken = { slug: "closed" };

export const CASES: Readonly<Record<OperationId, Case>> = {
  getMe: { ask: () => ({ path: "/v1/me" }) },
  getOrganization: {
    ask: () => ({ path: "/v1/organization" }),
    problems: { forbidden: async (world) => ({ path: "/v1/organization", token: await world.token({ projectId: world.acme.open.id }) }) },
  },
  updateOrganization: {
    ask: () => ({ path: "/v1/organization", body: { name: "Acme" } }),
    problems: {
      forbidden: async (world) => ({
        path: "/v1/organization",
        body: { name: "x" },
        token: await world.token({ projectId: world.acme.open.id }),
      }),
      precondition_failed: async () => ({ path: "/v1/organization", body: { name: "x" }, headers: stale }),
    },
  },
  listProjects: { ask: () => ({ path: "/v1/projects?limit=2" }) },
  createProject: {
    ask: () => ({ path: "/v1/projects", body: { slug: fresh("made") } }),
    problems: {
      forbidden: async (world) => ({
        path: "/v1/projects",
        body: { slug: fresh("made") },
        token: await world.token({ projectId: world.acme.open.id }),
      }),
      duplicate_slug: async () => ({ path: "/v1/projects", body: isTaken }),
    },
  },
  getProject: {
    ask: (world) => ({ path: `/v1/projects/${world.acme.open.id}` }),
    hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}` })),
  },
  updateProject: {
    ask: (world) => ({ path: "/v1/projects/open", body: { name: "Open" }, token: world.person(world.acme, world.acme.people.owner) }),
    hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}`, body: { name: "x" } })),
    problems: {
      duplicate_slug: async (world) => ({ path: `/v1/projects/${await newProject(world)}`, body: isTaken }),
      conflict: async (world) => ({ path: `/v1/projects/${await newProject(world)}`, body: { visibility: "private" } }),
      precondition_failed: async () => ({ path: "/v1/projects/open", body: { name: "x" }, headers: stale }),
    },
  },
  deleteProject: {
    ask: async (world) => ({ path: `/v1/projects/${await newProject(world)}` }),
    hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}` })),
    problems: { conflict: async () => ({ path: "/v1/projects/open" }) },
  },
  listProjectMembers: {
    ask: (world) => ({ path: `/v1/projects/${world.acme.open.id}/members` }),
    hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}/members` })),
  },
  putProjectMember: {
    ask: (world) => ({ path: `/v1/projects/open/members/${world.acme.people.viewer}`, body: { role: "writer" } }),
    hidden: async (world) => {
      const user = world.acme.people.viewer;
      return [
        ...(await projectPairs(world, (name) => ({ path: `/v1/projects/${name}/members/${user}`, body: { role: "reader" } }))),
        pair(world.rival.people.viewer, (name) => ({ path: `/v1/projects/open/members/${name}`, body: { role: "reader" } })),
      ];
    },
    problems: {
      forbidden: async (world) => ({
        path: `/v1/projects/open/members/${world.acme.people.developer}`,
        body: { role: "maintainer" },
        token: await world.token({ scopes: ["projects:write", "projects:read"] }),
      }),
      conflict: async (world) => ({
        path: `/v1/projects/closed/members/${world.acme.people.owner}`,
        body: { role: "reader" },
        token: world.person(world.acme, world.acme.people.owner),
      }),
    },
  },
  deleteProjectMember: {
    ask: async (world) => {
      const path = `/v1/projects/open/members/${world.acme.people.admin}`;
      await world.call("PUT", path, { token: await world.token(), body: { role: "reader" } });
      return { path };
    },
    hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/projects/${name}/members/${world.acme.people.owner}` })),
    problems: {
      conflict: async (world) => ({
        path: `/v1/projects/closed/members/${world.acme.people.owner}`,
        token: world.person(world.acme, world.acme.people.owner),
      }),
    },
  },
  listApps: {
    ask: () => ({ path: "/v1/apps?project=open" }),
    hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/apps?project=${name}` })),
  },
  createApp: {
    ask: () => ({ path: "/v1/apps", body: { project: "open", slug: fresh("made-app") } }),
    hidden: (world) => projectPairs(world, (name) => ({ path: "/v1/apps", body: { project: name, slug: fresh("app") } })),
    problems: { duplicate_slug: async () => ({ path: "/v1/apps", body: { project: "open", slug: "acme-closed" } }) },
  },
  getApp: {
    ask: (world) => ({ path: `/v1/apps/${world.acme.openApp.id}` }),
    hidden: (world) => appPairs(world, (name) => ({ path: `/v1/apps/${name}` })),
  },
  updateApp: {
    ask: () => ({ path: "/v1/apps/acme-open", body: { name: "Open app" } }),
    hidden: (world) => appPairs(world, (name) => ({ path: `/v1/apps/${name}`, body: { name: "x" } })),
    problems: { precondition_failed: async () => ({ path: "/v1/apps/acme-open", body: { name: "x" }, headers: stale }) },
  },
  deleteApp: {
    ask: async (world) => ({ path: `/v1/apps/${await newApp(world)}` }),
    hidden: (world) => appPairs(world, (name) => ({ path: `/v1/apps/${name}` })),
  },
  listMembers: {
    ask: () => ({ path: "/v1/members" }),
    problems: { forbidden: async (world) => ({ path: "/v1/members", token: await world.token({ projectId: world.acme.open.id }) }) },
  },
  updateMember: {
    ask: (world) => ({ path: `/v1/members/${world.acme.people.viewer}`, body: { role: "viewer" } }),
    hidden: (world) => [pair(world.rival.people.viewer, (name) => ({ path: `/v1/members/${name}`, body: { role: "viewer" } }))],
    problems: {
      forbidden: async (world) => ({
        path: `/v1/members/${world.acme.people.viewer}`,
        body: { role: "owner" },
        token: world.person(world.acme, world.acme.people.admin),
      }),
      conflict: async (world) => ({ path: `/v1/members/${world.acme.people.owner}`, body: { role: "viewer" } }),
    },
  },
  deleteMember: {
    ask: async (world) => ({ path: `/v1/members/${await world.join(world.acme, `${fresh("leaver")}@example.org`, "developer")}` }),
    hidden: (world) => [pair(world.rival.people.viewer, (name) => ({ path: `/v1/members/${name}` }))],
    problems: {
      forbidden: async (world) => ({
        path: `/v1/members/${world.acme.people.owner}`,
        token: world.person(world.acme, world.acme.people.admin),
      }),
      conflict: async (world) => ({ path: `/v1/members/${world.acme.people.owner}` }),
    },
  },
  listInvitations: {
    ask: () => ({ path: "/v1/invitations" }),
    problems: { forbidden: async (world) => ({ path: "/v1/invitations", token: await world.token({ projectId: world.acme.open.id }) }) },
  },
  createInvitation: {
    ask: () => ({ path: "/v1/invitations", body: { email: `${fresh("invited")}@example.org`, role: "developer" } }),
    problems: {
      forbidden: async (world) => ({
        path: "/v1/invitations",
        body: { email: "boss@example.org", role: "owner" },
        token: world.person(world.acme, world.acme.people.admin),
      }),
      conflict: async () => ({ path: "/v1/invitations", body: { email: "viewer@acme.example", role: "viewer" } }),
    },
  },
  revokeInvitation: {
    ask: async (world) => ({ path: `/v1/invitations/${(await newInvitation(world)).id}` }),
    hidden: async (world) => [pair((await newInvitation(world, world.rival)).id, (name) => ({ path: `/v1/invitations/${name}` }))],
    problems: {
      forbidden: async (world) => ({
        path: `/v1/invitations/${(await newInvitation(world)).id}`,
        token: await world.token({ projectId: world.acme.open.id }),
      }),
      conflict: async (world) => {
        const { id, token } = await newInvitation(world);
        await world.call("POST", "/v1/invitations/accept", { body: { token, name: "Guest", password: PASSWORD } });
        return { path: `/v1/invitations/${id}` };
      },
    },
  },
  acceptInvitation: {
    ask: async (world) => ({
      path: "/v1/invitations/accept",
      body: { token: (await newInvitation(world)).token, name: "Guest", password: PASSWORD },
    }),
    problems: {
      not_found: async () => ({ path: "/v1/invitations/accept", body: { token: newSecret("mriv"), name: "x", password: PASSWORD } }),
      forbidden: async (world) => {
        const { token } = await invite(deps(world), SYSTEM, world.acme.id, { email: "viewer@rival.example", role: "viewer" });
        return { path: "/v1/invitations/accept", body: { token, password: "not the password" } };
      },
      conflict: async (world) => {
        const email = `${fresh("twice")}@example.org`;
        const { token } = await invite(deps(world), SYSTEM, world.acme.id, { email, role: "viewer" });
        await joinOtherwise(world, email);
        return { path: "/v1/invitations/accept", body: { token, password: PASSWORD } };
      },
    },
  },
  listCredentials: {
    ask: () => ({ path: "/v1/credentials?limit=3" }),
    hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/credentials?project=${name}` })),
  },
  createCredential: {
    ask: () => ({ path: "/v1/credentials", body: { name: "made", scopes: ["apps:read"] } }),
    hidden: (world) =>
      projectPairs(world, (name) => ({ path: "/v1/credentials", body: { name: "x", scopes: ["apps:read"], project: name } })),
    problems: {
      forbidden: async (world) => ({
        path: "/v1/credentials",
        body: { name: "x", scopes: ["apps:read"] },
        token: await world.token({ projectId: world.acme.open.id }),
      }),
    },
  },
  getCredential: {
    ask: async (world) => ({ path: `/v1/credentials/${(await world.credential()).id}` }),
    hidden: (world) => credentialPairs(world, (name) => ({ path: `/v1/credentials/${name}` })),
  },
  updateCredential: {
    ask: async (world) => ({ path: `/v1/credentials/${(await world.credential()).id}`, body: { name: "other", scopes: ["apps:read"] } }),
    hidden: (world) => credentialPairs(world, (name) => ({ path: `/v1/credentials/${name}`, body: { name: "x" } })),
    problems: {
      forbidden: async (world) => {
        const strict = await world.tenant("strict");
        const owner = world.person(strict, strict.people.owner);
        const { id } = await world.credential({ tenant: strict, scopes: ["apps:read"] });
        await world.call("PATCH", "/v1/organization", { token: owner, body: { policy: { allowed_scopes: ["apps:read"] } } });
        return { path: `/v1/credentials/${id}`, body: { scopes: ["audit:read"] }, token: owner };
      },
      conflict: async (world) => ({ path: `/v1/credentials/${await revokedCredential(world)}`, body: { name: "x" } }),
    },
  },
  rotateCredential: {
    ask: async (world) => ({ path: `/v1/credentials/${(await world.credential()).id}/rotate`, body: { overlap_seconds: 60 } }),
    hidden: (world) => credentialPairs(world, (name) => ({ path: `/v1/credentials/${name}/rotate`, body: {} })),
    problems: { conflict: async (world) => ({ path: `/v1/credentials/${await revokedCredential(world)}/rotate`, body: {} }) },
  },
  revokeCredential: {
    ask: async (world) => ({ path: `/v1/credentials/${(await world.credential()).id}` }),
    hidden: (world) => credentialPairs(world, (name) => ({ path: `/v1/credentials/${name}` })),
  },
  listAudit: {
    ask: () => ({ path: "/v1/audit?limit=5&action=project." }),
    problems: { forbidden: async (world) => ({ path: "/v1/audit", token: await world.token({ projectId: world.acme.open.id }) }) },
  },
  exportAudit: {
    ask: () => ({ path: "/v1/audit/export" }),
    problems: { forbidden: async (world) => ({ path: "/v1/audit/export", token: await world.token({ projectId: world.acme.open.id }) }) },
  },
  verifyAudit: {
    ask: () => ({ path: "/v1/audit/verify" }),
    problems: { forbidden: async (world) => ({ path: "/v1/audit/verify", token: await world.token({ projectId: world.acme.open.id }) }) },
  },
};

async function revokedCredential(world: World): Promise<string> {
  const { id } = await world.credential();
  await world.identity.credentials.revoke({ actor: { kind: "system", id: null, orgId: world.acme.id } }, id);
  return id;
}

/** Becomes a member while an invitation is open: the command line can make somebody an owner at any time. */
async function joinOtherwise(world: World, email: string): Promise<void> {
  const userId = await world.join(world.rival, email, "viewer");
  await world.metadata.write(async (tx) => {
    await tx.insertInto("member").values({ org_id: world.acme.id, user_id: userId, role: "viewer", created_at: 0 }).execute();
  });
}
