import type { TrashSettings } from "#domain/trash/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import { trustedClock } from "#kernel/testing.ts";
import { createHash } from "node:crypto";
import type { Scope } from "@mooring/contract";
import {
  createManifestReader,
  createRegistryTokens,
  createSessions,
  Pulls,
  RunningDigests,
  type RegistryDeps,
  type RegistrySettings,
} from "#domain/registry/index.ts";
import { Reservations } from "#kernel/reservations.ts";
import { systemClock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openObjects } from "#stores/objects/index.ts";
import type { Tenant, World, WorldOptions } from "../../organization/testing/world.ts";
import { createRegistrySurface, Writers } from "../index.ts";
import { Schedule } from "#stores/jobs/index.ts";

/** Helpers for tests of the registry: the world of organizations with this surface over a real store, and clients. */

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };
export const DOMAIN = "registry.example:5000";

export interface TurnedClock extends GuardedClock {
  advance(ms: number): void;
}

/** Returns the real time with the test's shift. */
function turnedClock(): TurnedClock {
  let addedMs = 0;
  const clock = trustedClock({ nowMs: () => systemClock.nowMs() + addedMs });
  return { ...clock, advance: (ms) => void (addedMs += ms) };
}

export interface RegistryParts extends RegistryDeps {
  readonly clock: TurnedClock;
  readonly pulls: Pulls;
  readonly trash: TrashSettings;
  readonly reservations: Reservations;
  readonly dataDir: string;
}

const parts = new WeakMap<MetadataStore, RegistryParts>();

/** Returns the parts of a world's surface. */
export function registryOf(world: World): RegistryParts {
  const found = parts.get(world.metadata);
  if (found === undefined) throw new Error("the world has no registry");
  return found;
}

/** @param trashDays 0: deleted images can't be restored */
export function withRegistry(change: Partial<RegistrySettings> = {}, trashDays = 0): WorldOptions {
  return {
    surfaces: async ({ host, identity, metadata, dataDir, onClose }) => {
      const clock = turnedClock();
      const stored = { graceMs: 1000, collectEveryMs: 0, diskFreeBytesMin: 0 };
      const objects = await openObjects({ dataDir, metadata, clock, log: SILENT, settings: stored });
      const pulls = new Pulls({ schedule: new Schedule(clock), metadata, clock, log: SILENT });
      const manifests = createManifestReader();
      onClose(async () => {
        await manifests.close();
        await pulls.stop();
        await objects.close();
      });
      const { envelope } = identity;
      const settings = {
        blobBytesMax: 1024 ** 3,
        storedBytesMax: null,
        uploadLifetimeMs: 86_400_000,
        leaseMs: 86_400_000,
        ...change,
      };
      const deps = { metadata, objects, clock, settings, pulls, trash: { days: trashDays } };
      const reservations = new Reservations();
      parts.set(metadata, { ...deps, reservations, dataDir });
      const surface = createRegistrySurface({
        ...deps,
        manifests,
        host,
        identity,
        tokens: createRegistryTokens({ envelope, clock, service: DOMAIN }),
        sessions: createSessions(envelope),
        running: new RunningDigests(),
        writers: new Writers(),
        reservations,
        domain: DOMAIN,
        domainIsSet: true,
        isSecure: false,
        uploadIdleTimeoutMs: 5000,
        pace: { waitMs: () => 0 },
      });
      return [surface];
    },
  };
}

/** A client ID and secret, and the credential's ID. */
export interface TestClient {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export async function newClient(
  world: World,
  options: { tenant?: Tenant; scopes: readonly Scope[]; projectId?: string },
): Promise<TestClient> {
  const { tenant = world.acme, scopes, projectId = null } = options;
  const actor = { kind: "system", id: null, orgId: tenant.id } as const;
  const { credential, clientSecret } = await world.identity.credentials.create(
    { actor },
    { name: "test", projectId, scopes },
  );
  return { id: credential.id, clientId: credential.clientId, clientSecret };
}

export function basicOf({ clientId, clientSecret }: TestClient): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
}

/** Returns a registry token as an Authorization field; without a client, an anonymous one. */
export async function tokenFor(world: World, client: TestClient | undefined, ...scopes: string[]): Promise<string> {
  const query = new URLSearchParams(scopes.map((scope): [string, string] => ["scope", scope])).toString();
  const headers: Record<string, string> = client === undefined ? {} : { authorization: basicOf(client) };
  const answer = await world.call("GET", `/v2/token?${query}`, { headers });
  if (answer.status !== 200) throw new Error(answer.text);
  return `Bearer ${String(answer.json["token"])}`;
}

export function digestOf(content: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

/** A repository of a world with a client that may do everything there, and an image with the tag `v1`. */
export interface Seeded {
  readonly name: string;
  readonly client: TestClient;
  readonly headers: { readonly authorization: string };
  readonly manifest: string;
}

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

export async function seeded(world: World): Promise<Seeded> {
  const name = `orgs/acme/${world.acme.openApp.slug}`;
  const client = await newClient(world, { scopes: ["registry:pull", "registry:push", "registry:delete"] });
  const headers = { authorization: await tokenFor(world, client, `repository:${name}:pull,push,delete`) };
  await world.call("POST", `/v2/${name}/blobs/uploads/?digest=${digestOf("{}")}`, { headers, body: {} });
  const config = { mediaType: "application/json", digest: digestOf("{}"), size: 2 };
  const document = { schemaVersion: 2, mediaType: MANIFEST, config, layers: [] };
  const manifest = await pushed(world, { name, headers }, "v1", document);
  return { name, client, headers, manifest };
}

/** Pushes a manifest; returns its digest. @throws Error with the answer if it is refused */
export async function pushed(
  world: World,
  { name, headers }: Pick<Seeded, "name" | "headers">,
  reference: string,
  document: object,
): Promise<string> {
  const answer = await world.call("PUT", `/v2/${name}/manifests/${reference}`, {
    headers: { ...headers, "content-type": MANIFEST },
    body: document,
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return digestOf(JSON.stringify(document));
}
