import { Reservations } from "#kernel/reservations.ts";
import { trustedClock } from "#kernel/testing.ts";
import { findApp } from "#domain/organizations/index.ts";
import { createS3, principalOn, type Bucket, type S3, type S3Caller } from "#domain/s3/index.ts";
import { Schedule, createJobs } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openObjects, type ObjectStore } from "#stores/objects/index.ts";
import { OUTBOUND, type World, type WorldOptions } from "../../organization/testing/world.ts";
import { openGatewayOver } from "./link.ts";
import { createBucketsSurface } from "../index.ts";

/** Helpers for tests of this surface: a world with the gateway, and objects there. */

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const REGION = "us-east-1";
export const API_URL = "http://api.example";

const parts = new WeakMap<MetadataStore, { readonly s3: S3; readonly objects: ObjectStore }>();

function partsOf(world: World): { readonly s3: S3; readonly objects: ObjectStore } {
  const found = parts.get(world.metadata);
  if (found === undefined) throw new Error("the world has no buckets");
  return found;
}

export const WITH_BUCKETS: WorldOptions = {
  isShared: true,
  surfaces: async ({ host, identity, metadata, clock, dataDir, onClose }) => {
    const { envelope, usage } = identity;
    const objects = await openObjects({
      dataDir,
      metadata,
      clock: trustedClock(clock),
      log: SILENT,
      settings: { collectEveryMs: 0 },
    });
    const jobs = createJobs({ schedule: new Schedule(clock), metadata, clock, log: SILENT });
    const settings = {
      storedBytesMax: null,
      publicOrganization: null,
      region: REGION,
      lifecycleEveryMs: 3_600_000,
      lifecycleDayMs: 86_400_000,
    };
    const s3 = createS3({
      metadata,
      objects,
      clock: trustedClock(clock),
      envelope,
      usage,
      jobs,
      outbound: OUTBOUND,
      log: SILENT,
      settings,
      reservations: new Reservations(),
    });
    const gateway = await openGatewayOver({ domain: s3, objects, clock, envelope, log: SILENT }, REGION);
    onClose(async () => {
      await gateway.close();
      await jobs.stop();
      await objects.close();
    });
    parts.set(metadata, { s3, objects });
    return [createBucketsSurface({ host, metadata, clock, envelope, domain: s3, gateway, apiUrl: API_URL })];
  },
};

interface Opened {
  readonly s3: S3;
  readonly bucket: Bucket;
  readonly caller: S3Caller;
}

/** Returns a bucket as a credential with every permission sees it. */
export async function openBucket(world: World, name: string): Promise<Opened> {
  const { s3 } = partsOf(world);
  const app = await findApp(world, world.acme.id, name);
  if (app === undefined) throw new Error(`there is no app ${name}`);
  const { id: orgId, slug: orgSlug } = world.acme;
  const scopes = new Set(["s3:read", "s3:write", "s3:delete", "apps:write"] as const);
  const system = {
    kind: "credential",
    id: "test",
    clientId: "test",
    orgId,
    orgSlug,
    organization: { state: "active", reason: null },
    projectId: app.project_id,
  } as const;
  const principal = principalOn({ ...system, scopes }, app);
  const caller = { principal, ip: null, requestId: null };
  return { s3, caller, bucket: await s3.buckets.find(principal, name) };
}

/** Puts an object whose content is its key. Returns its version. */
export async function putObject(world: World, key: string, name: string = world.acme.openApp.slug): Promise<string> {
  const { s3, bucket, caller } = await openBucket(world, name);
  const content = await partsOf(world).objects.write(world.acme.id, Buffer.from(key), {
    bytesMax: 10_000,
    digests: ["md5"],
  });
  const plain = { headers: { contentType: "text/plain" }, metadata: { by: "test" }, tags: { of: "test" } };
  return (await s3.objects.put(caller, bucket, { ...plain, key, content })).versionId;
}

export async function setVersioning(world: World, name: string): Promise<void> {
  const { s3, bucket, caller } = await openBucket(world, name);
  await s3.buckets.setVersioning(caller, bucket, "enabled");
}

/** Denies everybody an action with keys of this bucket. */
export async function deny(world: World, name: string, action: string, keys = "*"): Promise<void> {
  const { s3, bucket, caller } = await openBucket(world, name);
  const resource = action.startsWith("s3:List") ? `arn:aws:s3:::${name}` : `arn:aws:s3:::${name}/${keys}`;
  const statement = { Effect: "Deny", Principal: "*", Action: action, Resource: resource };
  const value = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  await s3.buckets.configure(caller, bucket, { kind: "policy", value });
}
