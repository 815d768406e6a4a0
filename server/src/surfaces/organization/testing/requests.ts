import type { OrgRole } from "@mooring/contract";
import { createProject, invite, setProjectMember, SYSTEM } from "#domain/organizations/index.ts";
import { createDestination } from "#domain/s3/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Ask, Pair } from "./suite.ts";
import { OUTBOUND, type Tenant, type World } from "./world.ts";

/** Requests that several operations share. */

let counter = 0;
/** Returns an unused slug, or beginning of an address. */
export const fresh = (prefix: string): string => `${prefix}-${++counter}`;
const absentId = (like: string): string => newId(like.slice(0, like.indexOf("_")) as "proj", 1);
export const deps = (world: World) => ({ metadata: world.metadata, clock: world.clock });

/** Returns two requests that differ only in a name: one names a hidden object, the other one an absent object. */
/** Returns a token of a guest who maintains a project. No other project exists for them. */
export function guestToken(world: World): Promise<string> {
  const known = guests.get(world);
  if (known !== undefined) return known;
  const made = newGuest(world);
  guests.set(world, made);
  return made;
}

const guests = new WeakMap<World, Promise<string>>();

async function newGuest(world: World): Promise<string> {
  const id = await newMember(world, "guest");
  const project = await createProject(deps(world), SYSTEM, world.acme.id, { slug: fresh("of-guest") });
  await setProjectMember(deps(world), SYSTEM, project, { userId: id, role: "maintainer" });
  return world.person(world.acme, id);
}

/** Returns the same pair for a guest. */
export async function guestPair(world: World, name: string, askOf: (name: string) => Ask): Promise<Pair> {
  const token = await guestToken(world);
  return { ...pair(name, (each) => ({ ...askOf(each), token })), byGuest: true };
}

export function pair(name: string, askOf: (name: string) => Ask, absent = absentId(name)): Pair {
  return { hidden: askOf(name), absent: askOf(absent), names: [name, absent] };
}

/**
 * Returns hidden projects: a private one by ID and slug, one of another organization, and for a credential of a project
 * another project.
 */
export async function projectPairs(world: World, askOf: (name: string) => Ask): Promise<Pair[]> {
  const other = await createProject(deps(world), SYSTEM, world.acme.id, { slug: fresh("elsewhere") });
  const bound = await boundToken(world);
  return [
    pair(world.acme.closed.id, askOf),
    pair("closed", askOf, "absent"),
    pair(world.rival.open.id, askOf),
    pair(other.id, (name) => ({ ...askOf(name), token: bound })),
    pair(world.acme.closed.id, (name) => ({
      ...askOf(name),
      token: world.person(world.acme, world.acme.people.admin),
    })),
    await guestPair(world, world.acme.open.id, askOf),
  ];
}

export async function appPairs(world: World, askOf: (name: string) => Ask): Promise<Pair[]> {
  return [
    pair(world.acme.closedApp.id, askOf),
    pair("acme-closed", askOf, "acme-absent"),
    pair(world.rival.openApp.id, askOf),
    pair(world.acme.closedApp.id, (name) => ({
      ...askOf(name),
      token: world.person(world.acme, world.acme.people.admin),
    })),
    await guestPair(world, world.acme.openApp.id, askOf),
  ];
}

/**
 * Returns hidden credentials: one of another organization, one of a private project, and for a credential of a project
 * one of the organization.
 */
export async function credentialPairs(world: World, askOf: (name: string) => Ask): Promise<Pair[]> {
  const bound = await boundToken(world);
  return [
    pair((await world.credential({ tenant: world.rival })).id, askOf),
    pair((await world.credential({ projectId: world.acme.closed.id })).id, askOf),
    pair((await world.credential()).id, (name) => ({ ...askOf(name), token: bound })),
    await guestPair(world, (await world.credential()).id, askOf),
    await guestPair(world, (await world.credential({ projectId: world.acme.open.id })).id, askOf),
  ];
}

export async function newProject(world: World): Promise<string> {
  return (await createProject(deps(world), SYSTEM, world.acme.id, { slug: fresh("project") })).id;
}

export async function newApp(world: World): Promise<string> {
  const body = { project: world.acme.open.id, slug: fresh("new-app") };
  return (await world.call("POST", "/v1/apps", { token: await world.token(), body })).json["id"] as string;
}

export async function newInvitation(world: World, tenant: Tenant = world.acme): Promise<{ id: string; token: string }> {
  const { invitation, token } = await invite(deps(world), SYSTEM, tenant.id, {
    email: `${fresh("guest")}@example.org`,
    role: "viewer",
  });
  return { id: invitation.id, token };
}

/** Returns a token of a credential that reaches one project only. */
export function boundToken(world: World): Promise<string> {
  return world.token({ projectId: world.acme.open.id });
}

/** Rotates a credential as the installation, and returns a token for its new secret. */
export async function newToken(world: World, id: string, tenant: Tenant = world.acme, scope?: string): Promise<string> {
  const { credentials, signIn, tokens } = world.identity;
  const actor = { kind: "system", id: "test", orgId: tenant.id } as const;
  const { credential, clientSecret } = await credentials.rotate({ actor }, id);
  const origin = { ip: "127.0.0.1", requestId: "req_test" };
  const state = await signIn.authenticate({ clientId: credential.clientId, clientSecret, ...origin });
  return (await tokens.issuer.issue(state, { scope, ...origin })).accessToken;
}

export async function revokedCredential(world: World): Promise<string> {
  const { id } = await world.credential();
  await world.identity.credentials.revoke({ actor: { kind: "system", id: null, orgId: world.acme.id } }, id);
  return id;
}

/** Creates a credential or key as a developer where the policy asks for an approval. Returns its ID. */
export async function pendingAt(
  world: World,
  path: "/v1/credentials" | "/v1/s3/keys" | "/v1/ingest-keys",
): Promise<string> {
  const { acme } = world;
  const policy = { approval_required: true };
  await world.call("PATCH", "/v1/organization", { token: world.person(acme, acme.people.owner), body: { policy } });
  const token = world.person(acme, acme.people.developer);
  const scopes = path === "/v1/credentials" ? { scopes: ["apps:read"] } : {};
  const { json } = await world.call("POST", path, { token, body: { name: "wanted", ...scopes } });
  return json["id"] as string;
}

/** Makes a person a member while an invitation is open, as the command line can. */
export async function joinOtherwise(world: World, email: string): Promise<void> {
  const userId = await world.join(world.rival, email, "viewer");
  await world.metadata.write(async (tx) => {
    await tx
      .insertInto("member")
      .values({ org_id: world.acme.id, user_id: userId, role: "viewer", created_at: 0 })
      .execute();
  });
}

/** Creates an S3 key as the installation. Returns its ID. */
export async function newS3Key(
  world: World,
  tenant: Tenant = world.acme,
  projectId: string | null = null,
): Promise<string> {
  const actor = { kind: "system", id: "test", orgId: tenant.id } as const;
  return (await world.identity.s3Keys.create({ actor }, { name: "x", projectId })).key.id;
}

/**
 * Returns hidden S3 keys: one of another organization, one of a private project, and for a credential of a project one
 * of the organization.
 */
export async function s3KeyPairs(world: World, askOf: (name: string) => Ask): Promise<Pair[]> {
  const bound = await boundToken(world);
  return [
    pair(await newS3Key(world, world.rival), askOf),
    pair(await newS3Key(world, world.acme, world.acme.closed.id), askOf),
    pair(await newS3Key(world), (name) => ({ ...askOf(name), token: bound })),
    await guestPair(world, await newS3Key(world), askOf),
  ];
}

export async function newIngestKey(
  world: World,
  tenant: Tenant = world.acme,
  projectId: string | null = null,
): Promise<string> {
  const actor = { kind: "system", id: "test", orgId: tenant.id } as const;
  return (await world.identity.ingestKeys.create({ actor }, { name: "x", projectId })).credential.id;
}

/** Returns hidden ingest keys in the same places, and a credential that is none. */
export async function ingestKeyPairs(world: World, askOf: (name: string) => Ask): Promise<Pair[]> {
  const bound = await boundToken(world);
  return [
    pair(await newIngestKey(world, world.rival), askOf),
    pair(await newIngestKey(world, world.acme, world.acme.closed.id), askOf),
    pair((await world.credential()).id, askOf),
    pair(await newIngestKey(world), (name) => ({ ...askOf(name), token: bound })),
    await guestPair(world, await newIngestKey(world), askOf),
  ];
}

export const newTrustBody = () => ({
  name: "deploys",
  issuer: "https://token.actions.githubusercontent.com",
  subject: "repo:acme/shop:ref:refs/heads/main",
});

/** Creates a trust of a new credential. Returns its ID. */
export async function newTrust(
  world: World,
  of: { readonly tenant?: Tenant; readonly projectId?: string } = {},
): Promise<string> {
  const { id } = await world.credential(of);
  const actor = { kind: "system", id: "test", orgId: (of.tenant ?? world.acme).id } as const;
  return (await world.identity.trusts.create({ actor }, id, newTrustBody())).id;
}

/**
 * Returns hidden trusts: one of another organization, one of a private project, and for a credential of a project one
 * of the organization.
 */
export async function trustPairs(world: World, askOf: (name: string) => Ask): Promise<Pair[]> {
  const bound = await boundToken(world);
  return [
    pair(await newTrust(world, { tenant: world.rival }), askOf),
    pair(await newTrust(world, { projectId: world.acme.closed.id }), askOf),
    pair(await newTrust(world), (name) => ({ ...askOf(name), token: bound })),
  ];
}

export async function newS3Destination(
  world: World,
  tenant: Tenant = world.acme,
): Promise<{ readonly id: string; readonly name: string }> {
  const destinationDeps = { ...deps(world), envelope: world.identity.envelope, outbound: OUTBOUND };
  const input = { name: fresh("receiver"), url: "https://93.184.215.14/x" };
  return (await createDestination(destinationDeps, SYSTEM, tenant.id, input)).destination;
}

/** Adds a member without a password, because hashing one takes long. Returns their id. */
export async function newMember(world: World, role: OrgRole, tenant: Tenant = world.acme): Promise<string> {
  const created_at = world.clock.nowMs();
  const id = newId("user", created_at);
  const none = { password_hash: null, instance_admin: 0, last_seen_at: null };
  await world.metadata.write(async (tx) => {
    await tx
      .insertInto("person")
      .values({ id, email: `${fresh(role)}@${tenant.slug}.example`, name: role, ...none, created_at })
      .execute();
    await tx.insertInto("member").values({ org_id: tenant.id, user_id: id, role, created_at }).execute();
  });
  return id;
}
