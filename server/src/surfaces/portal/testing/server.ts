import { trustedClock } from "#kernel/testing.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { pino } from "pino";
import type { OrgRole } from "@mooring/contract";
import { createIdempotency } from "#domain/idempotency/index.ts";
import { createIdentity, type Authenticator, type Identity } from "#domain/identity/index.ts";
import {
  acceptInvitation,
  bootstrapOrganization,
  hashPassword,
  invite,
  SYSTEM,
  type Bootstrapped,
} from "#domain/organizations/index.ts";
import {
  deleteOrganization,
  keepOrganization,
  type OrganizationDeletionDeps,
} from "#domain/organization-deletion/index.ts";
import { authenticateOperator } from "#domain/operator/index.ts";
import {
  beginSession,
  createPeople,
  deletePerson,
  deviceCookie,
  sessionsOf,
  withPeople,
  type Origin,
  type PeopleDeps,
  type ProviderSettings,
} from "#domain/people/index.ts";
import { createHttpHost, createHttpMetrics, createHttpServer, openListener } from "#http/index.ts";
import { Metrics } from "#kernel/metrics/index.ts";
import { systemClock, type Clock } from "#kernel/time.ts";
import { mailsOf } from "#domain/mail/testing/mails.ts";
import type { Mail } from "#stores/mail/index.ts";
import { createJobs, Schedule, type JobsOptions } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import type { PortalSurfaceDeps } from "../deps.ts";
import { createPortalSurface, type InstanceFacts, type LogLevel } from "../index.ts";
import { ADDRESSES } from "./addresses.ts";
import { TestBackups } from "./backups.ts";
import { TestRestores } from "./restores.ts";
import { createBrowser, send, type Answer, type Browser } from "./browser.ts";

export { ADDRESSES } from "./addresses.ts";
export type { Answer, Browser } from "./browser.ts";

/** The surface on a real listener with real records. Tests can read its log and move its clock forward. */
export interface PortalServer {
  readonly url: string;
  readonly metadata: MetadataStore;
  readonly identity: Identity;
  readonly clock: Clock;
  log(): string;
  forward(ms: number): void;
  readonly people: PeopleDeps;
  readonly backups: TestBackups;
  readonly schedule: Schedule;
  /** Finds the principal of a token, of a credential or of a person. */
  readonly authenticator: Authenticator;
  /** Adds a member of the organization with this role, who can sign in. */
  join(ada: Ada, role: OrgRole): Promise<Ada>;
  /** Creates an organization whose owner has a set-up link. */
  createOrganization(): Promise<Bootstrapped>;
  /** Creates an organization whose owner has an account, as after the use of a set-up link. */
  createOwner(): Promise<Ada>;
  /** Returns a browser of the portal, with this session's cookie or none. */
  browser(cookie?: string): Browser;
  /** Returns a browser with a new session, as after a sign-in by password. No password is hashed: that takes 30 ms. */
  signedIn(ada: Ada): Promise<Browser>;
  /** Sends a request with a token, as the portal does. */
  api(token: string, method: string, path: string, body?: unknown): Promise<Answer>;
  flushRefusals(): Promise<void>;
  close(): Promise<void>;
}

export const PASSWORD = "correct horse battery";

/** The owner of an organization, who can sign in. */
export interface Ada {
  readonly id: string;
  readonly email: string;
  readonly orgId: string;
  readonly org: string;
}

let accepted = 0;

/** Returns the number of times that somebody accepted the clock. */
export function acceptedClocks(): number {
  return accepted;
}

let level: LogLevel = "info";
/** A problem of the server. */
export const PROBLEM = {
  alert: "MooringDiskFull",
  severity: "critical",
  text: "The disk of the objects is full.",
  page: "docs/how-to/bad-days/disk-full.md",
} as const;

const INSTANCE: InstanceFacts = {
  version: "1.2.3",
  startedAtMs: 1_780_000_000_000,
  objects: "filesystem",
  build: { commit: null, node: "24.0.0", sqlite: "3.50.0", duckdb: "1.5.0" },
  checks: async () => [{ name: "disk", state: "warning", detail: "900 MiB free" }],
  problems: async () => [PROBLEM],
  acceptClock: () => void (accepted += 1),
  ownTelemetryOrganization: async () => "acme",
  logLevel: {
    get: () => level,
    set: (next) => {
      const before = level;
      level = next;
      return before;
    },
    configured: "info",
  },
  disk: async () => ({ free_bytes: 1, total_bytes: 2 }),
};

const { identity_url: ISSUER } = ADDRESSES;

export interface PortalOptions {
  readonly portalUrl?: string;
  /** A build of the portal. The default is the build of `npm start`. */
  readonly portalDir?: string;
  readonly oidc?: ProviderSettings;
  readonly mail?: Mail;
}

export async function startPortal(options: PortalOptions = {}): Promise<PortalServer> {
  const portalUrl = options.portalUrl ?? ADDRESSES.portal_url;
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-portal-"));
  let [aheadMs, organizations] = [0, 0];
  const clock = trustedClock({ nowMs: () => systemClock.nowMs() + aheadMs });
  const lines: string[] = [];
  const log = pino({ level: "trace" }, collector(lines));
  const metadata = await openTestMetadata({ url: undefined, dataDir, clock });
  const own = { metadata, clock, dataDir, log, schedule: new Schedule(clock) };
  const identity = await createIdentity({ ...own, issuer: ISSUER, audience: ISSUER });
  const listener = await openListener("127.0.0.1:0");
  const people = createPeople({ metadata, clock, identity, portalUrl, oidc: options.oidc ?? null });
  const authenticator = withPeople(people, identity.authenticator);
  const host = createHttpHost({
    authenticator,
    sessions: sessionsOf(people),
    operators: operatorsOf({ metadata, clock }),
    idempotency: createIdempotency({ metadata, clock, envelope: identity.envelope }),
    clock,
    rateLimit: RATE_LIMIT,
  });
  const [backups, restores, schedule] = [new TestBackups(), new TestRestores(), new Schedule(clock)];
  const surfaces = [
    createPortalSurface({
      host,
      identity,
      instance: INSTANCE,
      people,
      metadata,
      clock,
      mail: mailsOf(options.mail, { metadata, clock, log, envelope: identity.envelope }),
      addresses: ADDRESSES,
      backups,
      restores,
      leaving: leavingOf({ people, metadata, clock, log, schedule, feed: identity.feed }),
      schedule,
      portalDir: options.portalDir ?? null,
    }),
  ];
  await createHttpServer({ listener, log, clock, surfaces, ...SERVING, metrics: createHttpMetrics(new Metrics()) });
  const url = `http://${listener.address}`;
  const createOrganization = (): Promise<Bootstrapped> =>
    bootstrapOrganization(
      { metadata, clock },
      { org: `org-${++organizations}`, project: "web", app: `shop-${organizations}` },
    );
  return {
    url,
    metadata,
    identity,
    people,
    backups,
    schedule,
    authenticator,
    clock,
    ...peopleOf({ url, portalUrl, metadata, clock, people }, createOrganization),
    api: (token, method, path, body) =>
      send(url, { method, path, body, headers: { authorization: `Bearer ${token}` } }),
    flushRefusals: () => identity.stop(),
    log: () => lines.join(""),
    forward: (ms) => void (aheadMs += ms),
    createOrganization,
    close: async () => {
      await listener.stop(0);
      await identity.stop();
      await metadata.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** The jobs are never started here: they are due after weeks. */
function leavingOf({
  people,
  ...deps
}: Omit<OrganizationDeletionDeps, "jobs"> &
  Pick<JobsOptions, "log" | "schedule"> &
  Pick<PortalServer, "people">): PortalSurfaceDeps["leaving"] {
  const organizations = { ...deps, jobs: createJobs(deps) };
  return {
    deletePerson: (deletion) => deletePerson(people, deletion),
    deleteOrganization: (by, orgId) => deleteOrganization(organizations, by, orgId),
    keepOrganization: (by, orgId) => keepOrganization(organizations, by, orgId),
  };
}

const SERVING = { trustedProxies: [], slowRequestMs: 0 };
const RATE_LIMIT = { perSecond: 1000, burst: 1000 };

function operatorsOf(deps: Pick<PortalServer, "metadata" | "clock">) {
  return { authenticate: (token: string) => authenticateOperator(deps, token) };
}

let hash: Promise<string> | undefined;

/** The hash of `PASSWORD`, made once: it takes 30 ms. */
const passwordHash = (): Promise<string> => (hash ??= hashPassword(PASSWORD));

const TEST_BROWSER: Origin = { ip: "127.0.0.1", requestId: null, userAgent: null };

/** Creates the people of the tests: owners, members, and their browsers. */
function peopleOf(
  parts: Pick<PortalServer, "url" | "metadata" | "clock" | "people"> & { readonly portalUrl: string },
  createOrganization: PortalServer["createOrganization"],
): Pick<PortalServer, "join" | "createOwner" | "browser" | "signedIn"> {
  const { url, portalUrl, metadata, clock, people } = parts;
  let joined = 0;
  return {
    join: async ({ orgId, org }, role) => {
      const email = `${role}-${++joined}@${org}.example`;
      const { token } = await invite({ metadata, clock }, SYSTEM, orgId, { email, role });
      const origin = { ip: null, requestId: null };
      const input = { token, name: role, password: PASSWORD };
      const { person } = await acceptInvitation({ metadata, clock }, input, origin);
      return { id: person.id, email, orgId, org };
    },
    createOwner: async () => {
      const { organization, owner } = await createOrganization();
      const set = { name: "Ada", password_hash: await passwordHash(), verified_at: clock.nowMs() };
      await metadata.write((tx) => tx.updateTable("person").set(set).where("id", "=", owner.id).execute());
      return { ...owner, orgId: organization.id, org: organization.slug };
    },
    browser: (cookie) => createBrowser(url, portalUrl, cookie),
    signedIn: async ({ id }) => {
      const session = { method: "password", origin: TEST_BROWSER } as const;
      const secret = await metadata.write((tx) => beginSession(people, tx, id, session));
      return createBrowser(url, portalUrl, secret, deviceCookie(people, undefined, id));
    },
  };
}

function collector(lines: string[]): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
}
