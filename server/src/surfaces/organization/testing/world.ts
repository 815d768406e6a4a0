import { trustedClock } from "#kernel/testing.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { SCOPES, type OrganizationState, type OrgRole, type Scope } from "@mooring/contract";
import { createIdempotency } from "#domain/idempotency/index.ts";
import { createIdentity, type Authenticator, type Identity } from "#domain/identity/index.ts";
import { setOrganizationState, type OperatorCaller } from "#domain/operator/index.ts";
import { deleteOrganization, keepOrganization } from "#domain/organization-deletion/index.ts";
import {
  acceptInvitation,
  bootstrapOrganization,
  createApp,
  createProject,
  getOrganization,
  invite,
  personPrincipal,
  SYSTEM,
  type App,
  type Organization,
  type Project,
} from "#domain/organizations/index.ts";
import { deletePerson, type PersonDeletion } from "#domain/people/index.ts";
import { RefusedRequests } from "#domain/requests/index.ts";
import { requireOrganizationAllows } from "#domain/suspension/index.ts";
import {
  countAnswered,
  createHttpHost,
  createHttpMetrics,
  createHttpServer,
  openListener,
  type HttpHost,
  type Surface,
  refusedRequestOf,
} from "#http/index.ts";
import { newId } from "#kernel/ids.ts";
import { Metrics } from "#kernel/metrics/index.ts";
import { Problem } from "#kernel/problem.ts";
import { systemClock, type Clock } from "#kernel/time.ts";
import { mailsOf } from "#domain/mail/testing/mails.ts";
import type { Mail } from "#stores/mail/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { createOutbound } from "#stores/outbound/index.ts";
import { CHOSEN, postgresUrl, type DatabaseKind } from "../../../../../tests/fixtures/databases.ts";
import { atProcessEnd } from "../../../../../tests/fixtures/process-end.ts";
import { createOrganizationSurface } from "../index.ts";
import { trashOf } from "./trash.ts";
import { createJobs, Schedule } from "#stores/jobs/index.ts";

export const ADDRESSES = { portal_url: "https://portal.example" };
export const OUTBOUND = createOutbound({ privateAddresses: false, clock: systemClock, userAgent: "test" });
export const PASSWORD = "correct horse battery";

/** An organization: its people by role, a project that all see, and a project for the owner only. */
export interface Tenant {
  readonly id: string;
  readonly slug: string;
  readonly people: Readonly<Record<OrgRole, string>>;
  readonly open: Project;
  readonly closed: Project;
  readonly openApp: App;
  readonly closedApp: App;
}

export interface Call {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

type Store = Pick<Ground, "clock" | "metadata">;

export interface WantedCredential {
  readonly tenant?: Tenant;
  readonly scopes?: readonly Scope[];
  readonly projectId?: string;
  readonly by?: OrgRole;
  /** The ids of the only resources that it reaches, as they are stored. They need not exist. */
  readonly resources?: object;
}

/** A server over real records, with two organizations. */
export interface World {
  readonly clock: Clock;
  readonly metadata: MetadataStore;
  readonly identity: Identity;
  readonly acme: Tenant;
  readonly rival: Tenant;
  /** The address of the server, for requests that `call` can't send. */
  readonly origin: string;
  call(method: string, path: string, call?: Call): Promise<Answer>;
  /** Returns an access token of a new credential. The installation creates the credential unless `tenant` has a person for it. */
  token(options?: WantedCredential): Promise<string>;
  credential(options?: WantedCredential): Promise<{ id: string; token: string }>;
  /** Returns a token of a signed-in person, whose permissions are read from the records each time. `late`: the last proof is long ago. */
  person(tenant: Tenant, userId: string, late?: "late"): string;
  /** Creates another organization, for tests that would affect others in the first two. Its slug begins with the name. */
  tenant(name: string): Promise<Tenant>;
  /** Sets the state of an organization, by default the first, as the operator does. */
  suspend(state: OrganizationState, tenant?: Tenant): Promise<void>;
  /** Adds a member by invitation. */
  join(tenant: Tenant, email: string, role: OrgRole): Promise<string>;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Default: the system's clock. */
  readonly clock?: Clock;
  /** Null if there is no mail server. */
  readonly mail?: Mail;
  /** Default: the database of this run. */
  readonly database?: DatabaseKind;
  /** The rate limit of a credential. The default is one that tests do not reach. */
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number };
  /** With `sharedWorld`, all tests with this same object use one server until the process ends. Otherwise each test has a server. */
  readonly isShared?: true;
  /** Surfaces in addition to the organization API. */
  readonly surfaces?: (deps: SurfaceDeps) => Surface[] | Promise<Surface[]>;
}

/** The server that several worlds of this process share, with its records and the number of its worlds. */
interface Ground {
  readonly clock: Clock;
  readonly metadata: MetadataStore;
  readonly identity: Identity;
  readonly origin: string;
  worlds: number;
  close(): Promise<void>;
}

const NO_OPTIONS: WorldOptions = { isShared: true };
const grounds = new Map<WorldOptions, Promise<Ground>>();

export async function createWorld(options: WorldOptions = NO_OPTIONS): Promise<World> {
  const ground = await createGround(options);
  return worldOn(ground, () => ground.close());
}

/**
 * Returns a world on the server that all worlds of the same shared options use. It has its own organizations; from the
 * second world on, their slugs are numbered. For tests that see nothing but these.
 */
export async function sharedWorld(options: WorldOptions = NO_OPTIONS): Promise<World> {
  if (options.isShared !== true) return createWorld(options);
  let shared = grounds.get(options);
  if (shared === undefined) {
    const made = (shared = createGround(options));
    grounds.set(options, made);
    atProcessEnd(async () => (await made).close());
  }
  return worldOn(await shared, async () => {});
}

async function worldOn(ground: Ground, close: World["close"]): Promise<World> {
  const { clock, metadata, identity, origin } = ground;
  const number = ++ground.worlds;
  const tenant = (name: string): Promise<Tenant> => createTenant(ground, name, number);
  const [acme, rival] = [await tenant("acme"), await tenant("rival")];
  const credential: World["credential"] = (wanted = {}) => newCredential(ground, { tenant: acme, ...wanted });
  return {
    clock,
    metadata,
    identity,
    acme,
    rival,
    origin,
    call: (method, path, call = {}) => send(origin, method, path, call),
    credential,
    token: async (wanted) => (await credential(wanted)).token,
    person: (tenant, userId, late?) => `person.${tenant.id}.${userId}.${late ?? ""}`,
    tenant,
    suspend: async (state, { id } = acme) => {
      const by = { actor: { kind: "system", id: null }, ip: null, requestId: null } as const;
      const deletion = deletionDepsOf(ground);
      const { deletes_at: at } = await getOrganization({ metadata }, id);
      if (at !== null) await keepOrganization(deletion, by, id);
      if (state === "deleting") await deleteOrganization(deletion, by, id);
      else await setOrganizationState(deletion, by, id, { state, reason: null });
    },
    join: (tenant, email, role) => addMember(ground, tenant.id, email, role),
    close,
  };
}

/** The jobs are never started here: they are due after weeks. */
function deletionDepsOf({ metadata, clock, identity: { feed } }: Pick<Ground, "metadata" | "clock" | "identity">) {
  const jobs = createJobs({ metadata, clock, log: pino({ level: "silent" }), schedule: new Schedule(clock) });
  return { metadata, clock, feed, jobs };
}

async function createGround(options: WorldOptions): Promise<Ground> {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-organization-"));
  const clock = options.clock ?? systemClock;
  const log = pino({ level: "silent" });
  const url = (options.database ?? CHOSEN) === "postgres" ? await postgresUrl(dataDir) : undefined;
  const metadata = await openTestMetadata({ url, dataDir, clock });
  const identity = await createIdentity({
    schedule: new Schedule(clock),
    metadata,
    clock: trustedClock(clock),
    dataDir,
    issuer: "http://id.example",
    audience: "http://id.example",
    log,
  });
  await identity.start();
  const listener = await openListener("127.0.0.1:0");
  const host = createHttpHost({
    authenticator: withPeople({ metadata, clock }, identity.authenticator),
    idempotency: createIdempotency({ metadata, clock: trustedClock(clock), envelope: identity.envelope }),
    clock,
    rateLimit: options.rateLimit ?? { perSecond: 10_000, burst: 10_000 },
  });
  const mail = mailsOf(options.mail, { metadata, clock, log: pino({ level: "silent" }), envelope: identity.envelope });
  const closing: (() => Promise<void>)[] = [];
  const onClose = (close: () => Promise<void>): void => void closing.push(close);
  const deps = { host, identity, metadata, clock, dataDir, onClose };
  const others = (await options.surfaces?.(deps)) ?? [];
  const organizations = deletionDepsOf({ metadata, clock, identity });
  const leaving = {
    deletePerson: (deletion: PersonDeletion) => deletePerson({ metadata, clock }, deletion),
    deleteOrganization: (by: OperatorCaller, orgId: string) => deleteOrganization(organizations, by, orgId),
    keepOrganization: (by: OperatorCaller, orgId: string) => keepOrganization(organizations, by, orgId),
  };
  const trash = trashOf(metadata, clock);
  const requests = new RefusedRequests({ metadata, clock, log, schedule: new Schedule(clock) });
  onClose(() => requests.stop());
  const own = { ...deps, requests, mail, leaving, outbound: OUTBOUND, addresses: ADDRESSES, trash };
  const surfaces = [createOrganizationSurface(own), ...others];
  await createHttpServer({
    listener,
    log,
    clock,
    metrics: createHttpMetrics(new Metrics()),
    answered: countAnswered(identity.activity),
    refused: (request, reply) => void requests.note(refusedRequestOf(request, reply, clock)),
    surfaces,
    trustedProxies: [],
    slowRequestMs: 60_000,
  });
  return {
    clock,
    metadata,
    identity,
    origin: `http://${listener.address}`,
    worlds: 0,
    close: async () => {
      await listener.stop(0);
      for (const close of closing) await close();
      await identity.stop();
      await metadata.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

export interface SurfaceDeps {
  host: HttpHost;
  identity: Identity;
  metadata: MetadataStore;
  clock: Clock;
  dataDir: string;
  /** Registers what must be closed before the records. */
  onClose: (close: () => Promise<void>) => void;
}

function withPeople({ metadata, clock }: Store, credentials: Authenticator): Authenticator {
  return {
    authenticate: async (token, origin, act) => {
      const [kind, orgId = "", userId = "", late] = token.split(".");
      if (kind !== "person") return credentials.authenticate(token, origin);
      const person = await personPrincipal(metadata.read, orgId, userId, clock.nowMs());
      if (person === undefined) throw new Problem("invalid_token", "The person is not a member.");
      if (act !== "keep" || person.organization.state !== "deleting")
        requireOrganizationAllows(person.organization, "sign_in");
      return { ...person, confirmedAtMs: late === "late" ? 0 : clock.nowMs() };
    },
  };
}

async function createTenant(deps: Store, name: string, world: number): Promise<Tenant> {
  const slug = world === 1 ? name : `${name}-${world}`;
  const made = await bootstrapOrganization(deps, { org: slug, project: "open", app: `${name}-open` });
  const orgId = made.organization.id;
  const maintainer = made.owner.id;
  const closed = await createProject(deps, SYSTEM, orgId, { slug: "closed", visibility: "private", maintainer });
  const closedApp = await createApp(deps, SYSTEM, closed, { slug: `${name}-closed` });
  const people = { owner: maintainer, ...(await addPeople(deps, made.organization)) };
  return { id: orgId, slug, people, open: made.project, closed, openApp: made.app, closedApp };
}

/** Inserts into the records directly, because hashing passwords takes long. */
async function addPeople(
  { metadata, clock }: Store,
  { id: orgId, slug }: Organization,
): Promise<Record<Exclude<OrgRole, "owner">, string>> {
  const at = clock.nowMs();
  const people = {
    admin: newId("user", at),
    developer: newId("user", at),
    viewer: newId("user", at),
    guest: newId("user", at),
  };
  await metadata.write(async (tx) => {
    for (const role of ["admin", "developer", "viewer", "guest"] as const) {
      const [id, email] = [people[role], `${role}@${slug}.example`];
      const none = { password_hash: null, instance_admin: 0, last_seen_at: null };
      await tx
        .insertInto("person")
        .values({ id, email, name: role, ...none, created_at: at })
        .execute();
      await tx.insertInto("member").values({ org_id: orgId, user_id: id, role, created_at: at }).execute();
    }
  });
  return people;
}

async function addMember(deps: Store, orgId: string, email: string, role: OrgRole): Promise<string> {
  const { token } = await invite(deps, SYSTEM, orgId, { email, role });
  const { person } = await acceptInvitation(
    deps,
    { token, name: role, password: PASSWORD },
    { ip: null, requestId: null },
  );
  return person.id;
}

async function newCredential(
  deps: Store & { identity: Identity },
  wanted: WantedCredential & { readonly tenant: Tenant },
): Promise<{ id: string; token: string }> {
  const { tenant, by } = wanted;
  const person =
    by === undefined
      ? undefined
      : await personPrincipal(deps.metadata.read, tenant.id, tenant.people[by], deps.clock.nowMs());
  const actor = person ?? ({ kind: "system", id: null, orgId: tenant.id } as const);
  const { credential, clientSecret } = await deps.identity.credentials.create(
    { actor },
    { name: "test", projectId: wanted.projectId ?? null, scopes: wanted.scopes ?? SCOPES },
  );
  const { resources } = wanted;
  if (resources !== undefined) await limit(deps.metadata, credential.id, resources);
  const origin = { ip: "127.0.0.1", requestId: "req_test" };
  const state = await deps.identity.signIn.authenticate({ clientId: credential.clientId, clientSecret, ...origin });
  const { accessToken } = await deps.identity.tokens.issuer.issue(state, origin);
  return { id: credential.id, token: accessToken };
}

async function limit(metadata: MetadataStore, id: string, resources: object): Promise<void> {
  const set = { resources: JSON.stringify(resources) };
  await metadata.write(async (tx) => void (await tx.updateTable("credential").set(set).where("id", "=", id).execute()));
}

async function send(base: string, method: string, path: string, call: Call): Promise<Answer> {
  const response = await fetch(base + path, {
    method,
    headers: {
      ...(call.token === undefined ? {} : { authorization: `Bearer ${call.token}` }),
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      ...call.headers,
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: jsonOf(text) };
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
