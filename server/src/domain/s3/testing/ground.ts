/** The common setup of tests of the S3 domain: both databases, an organization with keys, buckets, and content. */
import type { GuardedClock } from "#kernel/deletions.ts";
import { Reservations } from "#kernel/reservations.ts";
import { trustedClock } from "#kernel/testing.ts";
import { ORG_ID, OTHER_ORG_ID, openGround, PRIVATE_ID, PROJECT_ID, type Ground } from "#domain/identity/testing.ts";
import { createIdentity, type ActorContext, type Identity, type NewS3Key } from "#domain/identity/index.ts";
import { Schedule, createJobs } from "#stores/jobs/index.ts";
import { createOutbound } from "#stores/outbound/index.ts";
import { openObjects, type DigestAlgorithm, type ObjectStore, type StagedBlob } from "#stores/objects/index.ts";
import { createS3, type S3, type S3Settings } from "../index.ts";
import type { Bucket, NewBucket, ObjectVersion, PutObject, S3Caller, S3KeyPrincipal } from "../types/index.ts";
import type { S3Deps } from "../deps.ts";

export const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface S3Ground {
  readonly ground: Ground;
  readonly identity: Identity;
  readonly objects: ObjectStore;
  readonly deps: S3Deps & { readonly clock: GuardedClock };
  readonly s3: S3;
  /** Creates a key as the system. */
  key(input?: Partial<NewS3Key>, orgId?: string): Promise<S3Caller & { readonly principal: S3KeyPrincipal }>;
  stage(content: string | Uint8Array, digests?: readonly DigestAlgorithm[]): Promise<StagedBlob>;
  put(
    caller: S3Caller,
    bucket: Bucket,
    key: string,
    content?: string | Uint8Array,
    more?: Partial<PutObject>,
  ): Promise<ObjectVersion>;
  read(version: ObjectVersion): Promise<string>;
  close(): Promise<void>;
}

export const SETTINGS: S3Settings = {
  storedBytesMax: null,
  publicOrganization: "acme",
  region: "us-east-1",
  lifecycleEveryMs: 3_600_000,
  lifecycleDayMs: 86_400_000,
};

export async function openS3Ground(options: { url?: string; settings?: Partial<S3Settings> } = {}): Promise<S3Ground> {
  const ground = await openGround(options.url === undefined ? {} : { url: options.url });
  const { metadata, clock, dataDir } = ground;
  const issuer = "http://127.0.0.1:8080";
  const identity = await createIdentity({
    schedule: new Schedule(clock),
    metadata,
    clock: trustedClock(clock),
    dataDir,
    issuer,
    audience: issuer,
    log: SILENT,
  });
  const objects = await openObjects({
    dataDir,
    metadata,
    clock: trustedClock(clock),
    log: SILENT,
    settings: { collectEveryMs: 0 },
  });
  const settings = { ...SETTINGS, ...options.settings };
  const { envelope, usage } = identity;
  const jobs = createJobs({ schedule: new Schedule(clock), metadata, clock, log: SILENT, pollMs: 20 });
  const outbound = createOutbound({ privateAddresses: true, clock, userAgent: "test" });
  const reservations = new Reservations();
  const shared = { metadata, objects, clock: trustedClock(clock), envelope, usage, jobs, outbound, log: SILENT };
  const deps = { ...shared, settings, reservations };
  const s3 = createS3(deps);
  const stage: S3Ground["stage"] = (content, digests = ["md5"]) =>
    objects.write(ORG_ID, Buffer.from(content), { bytesMax: 2 ** 33, digests });
  return {
    ground,
    identity,
    objects,
    deps,
    s3,
    key: async (input = {}, orgId = ORG_ID) => {
      const acting: ActorContext = { actor: { kind: "system", id: "test", orgId } };
      const { key } = await identity.s3Keys.create(acting, { name: "test", projectId: null, ...input });
      return callerOf(s3, key.accessKeyId);
    },
    stage,
    put: async (caller, bucket, key, content = key, more = {}) => {
      const plain = { headers: {}, metadata: {}, tags: {} };
      const put = { ...plain, key, content: await stage(content), ...more };
      return { ...(await s3.objects.put(caller, bucket, put)), parts: null };
    },
    read: async (version) => {
      const chunks: Buffer[] = [];
      const reader = await objects.open(ORG_ID, version.blobId);
      for await (const chunk of reader.chunks()) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    },
    close: async () => {
      await jobs.stop();
      await objects.close();
      await ground.close();
    },
  };
}

export async function callerOf(
  s3: S3,
  accessKeyId: string,
): Promise<S3Caller & { readonly principal: S3KeyPrincipal }> {
  const admitted = await s3.keys.admit(accessKeyId);
  if (admitted === undefined) throw new Error(`the key ${accessKeyId} is not admitted`);
  return { principal: admitted.principal, ip: "127.0.0.1", requestId: "req_test" };
}

let bucketNumber = 0;

/** Creates a bucket with a unique name. */
export async function newBucket(g: S3Ground, caller: S3Caller, options: Partial<NewBucket> = {}): Promise<Bucket> {
  return g.s3.buckets.create(caller, { name: `bucket-${++bucketNumber}`, ...options });
}

export { ORG_ID, OTHER_ORG_ID, PRIVATE_ID, PROJECT_ID };
