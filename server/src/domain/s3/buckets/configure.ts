import { appendAudit } from "#domain/audit/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { isPublicAcl, validateBucketAcl } from "../access/acl.ts";
import { policyOf } from "../access/parsed.ts";
import { isOpenToEverybody, requireReachedByEverybody } from "../access/everybody.ts";
import { isPublicPolicy, validatePolicy } from "../access/policy.ts";
import { auditOf } from "../audit.ts";
import { S3Error } from "../errors.ts";
import { requireDestinations } from "../events/validate.ts";
import { LIFECYCLE, scheduleLifecycle } from "../lifecycle/job.ts";
import type { Bucket, BucketConfig, BucketConfigKind, S3Caller, VersioningState } from "../types/index.ts";
import { bucketFrom, type BucketDeps } from "./buckets.ts";
import { validateConfig } from "./validate.ts";
import { bucketById, putSettings, settingsOf } from "./store.ts";

interface Settings {
  readonly versioning: VersioningState;
  readonly config: BucketConfig;
}

export async function configureBucket<K extends BucketConfigKind>(
  deps: BucketDeps,
  caller: S3Caller,
  bucket: Bucket,
  { kind, value }: { readonly kind: K; readonly value: NonNullable<BucketConfig[K]> | null },
): Promise<Bucket> {
  if (value !== null) await requireReached(deps, bucket, { [kind]: value });
  const change = (before: Settings): Settings => {
    const { [kind]: _old, ...rest } = before.config;
    const config: BucketConfig = value === null ? rest : { ...rest, [kind]: value };
    validateSettings(bucket, before, config, kind);
    return { ...before, config };
  };
  const follow = (tx: Writer, config: BucketConfig): Promise<void> => afterChange(deps, tx, bucket, kind, config);
  return changeBucket(deps, caller, bucket, { what: kind, change, follow, detail: { value } });
}

async function requireReached(
  deps: BucketDeps,
  bucket: Bucket,
  { acl, policy }: Pick<BucketConfig, "acl" | "policy">,
): Promise<void> {
  const parsed = policy === undefined ? undefined : validatePolicy(policy, bucket.name);
  if (isOpenToEverybody(acl, parsed)) await requireReachedByEverybody(deps, bucket);
}

/** Makes the changes that follow from a part of the configuration, in the same transaction. */
async function afterChange(
  deps: BucketDeps,
  tx: Writer,
  bucket: Bucket,
  kind: BucketConfigKind,
  { lifecycle, notification }: BucketConfig,
): Promise<void> {
  if (kind === "lifecycle" && lifecycle !== undefined) await scheduleLifecycle(deps, tx, bucket);
  if (kind === "lifecycle" && lifecycle === undefined) await deps.jobs.remove(tx, LIFECYCLE, bucket.id);
  if (kind === "notification" && notification !== undefined) await requireDestinations(tx, bucket, notification);
}

export async function setVersioning(
  deps: BucketDeps,
  caller: S3Caller,
  bucket: Bucket,
  state: "enabled" | "suspended",
): Promise<Bucket> {
  const change = (before: Settings): Settings => {
    if (before.config.objectLock !== undefined && state === "suspended")
      throw new S3Error("InvalidBucketState", "Versioning can't be suspended while the bucket has object lock.");
    return { ...before, versioning: state };
  };
  return changeBucket(deps, caller, bucket, { what: "versioning", change, detail: { value: state } });
}

function validateSettings(bucket: Bucket, before: Settings, config: BucketConfig, kind: BucketConfigKind): void {
  validateConfig(config, kind);
  const { acl, policy, publicAccessBlock: block, objectLock } = config;
  if (kind === "acl" && acl !== undefined) validateBucketAcl({ config }, acl);
  if (kind === "policy" && policy !== undefined) {
    const isOpen = isPublicPolicy(validatePolicy(policy, bucket.name));
    if (isOpen && block?.blockPublicPolicy === true)
      throw new S3Error("AccessDenied", "The bucket's public access block refuses public policies.");
  }
  if (kind === "objectLock" && objectLock === undefined)
    throw new S3Error("InvalidBucketState", "Object lock can't be removed.");
  if (kind === "objectLock" && before.versioning !== "enabled")
    throw new S3Error("InvalidBucketState", "Versioning must be enabled for object lock.");
  const isEnforced = kind === "ownership" && config.ownership === "BucketOwnerEnforced";
  if (
    isEnforced &&
    acl !== undefined &&
    acl.grants.some(({ grantee }) => grantee.kind === "group" || grantee.id !== bucket.owner.id)
  )
    throw new S3Error("InvalidBucketAclWithObjectOwnership");
}

/** Whether a policy or an access control list lets everybody read. */
export function isPublicBucket(bucket: Bucket): boolean {
  const { acl, policy, publicAccessBlock: block } = bucket.config;
  const byList = acl !== undefined && block?.ignorePublicAcls !== true && isPublicAcl(acl);
  const byPolicy =
    policy !== undefined && block?.restrictPublicBuckets !== true && isPublicPolicy(policyOf(bucket, policy));
  return byList || byPolicy;
}

/** Serializes the changes of one bucket, so that each starts from the result of the previous one. */
async function changeBucket(
  deps: BucketDeps,
  caller: S3Caller,
  bucket: Bucket,
  options: {
    readonly what: string;
    change(before: Settings): Settings;
    follow?(tx: Writer, config: BucketConfig): Promise<void>;
    readonly detail: Record<string, unknown>;
  },
): Promise<Bucket> {
  const { id, orgId } = bucket;
  const row = await deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `s3_bucket:${id}`);
    const before = await settingsOf(tx, id);
    const { versioning, config } = options.change({
      versioning: before?.versioning ?? "unversioned",
      config: before === undefined ? {} : (JSON.parse(before.config) as BucketConfig),
    });
    const revision = (before?.revision ?? 0) + 1;
    if ((await bucketById(tx, id)) === undefined) throw new S3Error("NoSuchBucket");
    await putSettings(tx, { id, org_id: orgId, versioning, config: JSON.stringify(config), revision });
    await options.follow?.(tx, config);
    await appendAudit(deps, tx, {
      ...auditOf(caller, bucket),
      action: "bucket.update",
      detail: { bucket: bucket.name, setting: options.what, ...options.detail },
    });
    return bucketById(tx, id);
  });
  if (row === undefined) throw new S3Error("NoSuchBucket");
  return bucketFrom(deps, row);
}
