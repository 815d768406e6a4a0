/** The common setup of tests that need identity: a database with an organization, people and nodes. */
import { NOT_SUSPENDED } from "#domain/suspension/index.ts";
import { trustedClock } from "#kernel/testing.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OrgRole, ProjectRole } from "@mooring/contract";
import { insertProject, newProject } from "#domain/projects/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { ORG_ROLE_SCOPES, rightsOfRole, type PersonPrincipal } from "./access/index.ts";
import { appendAuthChange } from "./changes/index.ts";
import type { ActorContext, SystemActor } from "./credentials/index.ts";
import { createIdentity, type Identity, type IdentityOptions } from "./identity.ts";
import { Schedule } from "#stores/jobs/index.ts";

export const ISSUER = "http://127.0.0.1:8080";
export const ORG_ID = "org_00000000000000000000000001";
export const OTHER_ORG_ID = "org_00000000000000000000000002";
/** Seen by the whole organization. */
export const PROJECT_ID = "proj_00000000000000000000000001";
/** Seen by its members. */
export const PRIVATE_ID = "proj_00000000000000000000000002";
export const SYSTEM: SystemActor = { kind: "system", id: "test", orgId: ORG_ID };

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  advance(ms: number): void;
}

export function testClock(startMs = 1_780_000_000_000): TestClock {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

export interface Ground {
  readonly metadata: MetadataStore;
  readonly clock: TestClock;
  readonly dataDir: string;
  /** Opens the same database again, without shared memory, like another process. */
  reopen(): Promise<MetadataStore>;
  /** Creates another node on the same database. */
  node(options?: Partial<IdentityOptions>): Promise<Identity>;
  /** Creates a member with this role. */
  person(role: OrgRole, projects?: Readonly<Record<string, ProjectRole>>): Promise<PersonPrincipal>;
  /** Changes the organization, and announces the change to all nodes. */
  organization(set: { policy?: object; token_lifetime_s?: number }): Promise<void>;
  setRole(userId: string, role: OrgRole | null): Promise<void>;
  close(): Promise<void>;
}

/** `url`: an empty PostgreSQL database. Default: SQLite. */
export async function openGround(options: { url?: string; clock?: TestClock } = {}): Promise<Ground> {
  const clock = options.clock ?? testClock();
  const dataDir = await mkdtemp(join(tmpdir(), "mooring-identity-"));
  const metadata = await openTestMetadata({ url: options.url, dataDir, clock });
  await seed(metadata, clock.nowMs());
  const nodes: Identity[] = [];
  const stores = [metadata];
  return {
    metadata,
    clock,
    dataDir,
    reopen: async () => {
      const store = await openTestMetadata({ url: options.url, dataDir, clock });
      stores.push(store);
      return store;
    },
    node: async (overrides = {}) => {
      const identity = await createIdentity({
        schedule: new Schedule(clock),
        metadata,
        clock: trustedClock(clock),
        dataDir,
        issuer: ISSUER,
        audience: ISSUER,
        log: SILENT,
        ...overrides,
      });
      nodes.push(identity);
      return identity;
    },
    person: (role, projects = {}) => addPerson(metadata, clock, role, projects),
    organization: (set) => changeOrganization(metadata, clock, set),
    setRole: (userId, role) => changeRole(metadata, clock, userId, role),
    close: async () => {
      for (const node of nodes) await node.stop();
      for (const store of stores) await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Signs in and gets a token, like a client. */
export async function tokenOf(
  identity: Identity,
  client: { clientId: string; clientSecret: string },
  scope?: string,
): Promise<string> {
  const state = await identity.signIn.authenticate({ ...client, ip: "127.0.0.1", requestId: "req_test" });
  return (await identity.tokens.issuer.issue(state, { scope, ip: "127.0.0.1", requestId: "req_test" })).accessToken;
}

/** Creates a credential, by default of the organization and by the system. Returns the values for its client. */
export async function credentialOf(
  identity: Identity,
  options: {
    scopes?: readonly string[];
    projectId?: string | null;
    actor?: ActorContext["actor"];
    expiresAtMs?: number;
  } = {},
): Promise<{ id: string; clientId: string; clientSecret: string }> {
  const { scopes = ["files:read", "files:write"], projectId = null, actor = SYSTEM, ...rest } = options;
  const made = await identity.credentials.create({ actor }, { projectId, name: "test", scopes, ...rest });
  return { id: made.credential.id, clientId: made.credential.clientId, clientSecret: made.clientSecret };
}

const SILENT = { warn: () => undefined };

async function seed(metadata: MetadataStore, nowMs: number): Promise<void> {
  await metadata.write(async (tx) => {
    for (const [id, slug] of [
      [ORG_ID, "acme"],
      [OTHER_ORG_ID, "other"],
    ] as const) {
      await tx
        .insertInto("organization")
        .values({ id, slug, name: slug, token_lifetime_s: 900, policy: "{}", created_at: nowMs, ...NOT_SUSPENDED })
        .execute();
    }
    for (const [id, slug, visibility] of [
      [PROJECT_ID, "open", "organization"],
      [PRIVATE_ID, "closed", "private"],
    ] as const) {
      const row = { id, org_id: ORG_ID, slug, name: slug, visibility, environment: null, created_at: nowMs };
      await insertProject(tx, newProject(row));
    }
  });
}

async function addPerson(
  metadata: MetadataStore,
  clock: Clock,
  role: OrgRole,
  projects: Readonly<Record<string, ProjectRole>>,
): Promise<PersonPrincipal> {
  const id = newId("user", clock.nowMs());
  const email = `${id}@acme.localhost`;
  await metadata.write(async (tx) => {
    const created_at = clock.nowMs();
    const none = { password_hash: null, instance_admin: 0, last_seen_at: null };
    await tx
      .insertInto("person")
      .values({ id, email, name: id, ...none, created_at })
      .execute();
    await tx.insertInto("member").values({ org_id: ORG_ID, user_id: id, role, created_at }).execute();
    for (const [project_id, projectRole] of Object.entries(projects)) {
      await tx
        .insertInto("project_member")
        .values({ org_id: ORG_ID, project_id, user_id: id, role: projectRole, created_at })
        .execute();
    }
  });
  const scopes = ORG_ROLE_SCOPES[role];
  return {
    kind: "person",
    id,
    email,
    orgId: ORG_ID,
    orgSlug: "acme",
    organization: { state: "active", reason: null },
    role,
    scopes,
    endsAtMs: null,
    projects: new Map(Object.entries(projects).map(([project, there]) => [project, rightsOfRole(there)])),
  };
}

async function changeOrganization(
  metadata: MetadataStore,
  clock: Clock,
  set: { policy?: object; token_lifetime_s?: number },
): Promise<void> {
  const { policy, ...rest } = set;
  await metadata.write(async (tx) => {
    const columns = { ...rest, ...(policy === undefined ? {} : { policy: JSON.stringify(policy) }) };
    await tx.updateTable("organization").set(columns).where("id", "=", ORG_ID).execute();
    await appendAuthChange({ metadata, clock }, tx, { kind: "organization", subject: ORG_ID });
  });
}

async function changeRole(metadata: MetadataStore, clock: Clock, userId: string, role: OrgRole | null): Promise<void> {
  await metadata.write(async (tx) => {
    if (role === null)
      await tx.deleteFrom("member").where("org_id", "=", ORG_ID).where("user_id", "=", userId).execute();
    else
      await tx.updateTable("member").set({ role }).where("org_id", "=", ORG_ID).where("user_id", "=", userId).execute();
    await appendAuthChange({ metadata, clock }, tx, { kind: "organization", subject: ORG_ID });
  });
}
