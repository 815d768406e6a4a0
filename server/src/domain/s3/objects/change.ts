import type { S3Deps } from "../deps.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { validateAcl } from "../access/acl.ts";
import { auditOf } from "../audit.ts";
import { S3Error } from "../errors.ts";
import { emit, type EventName } from "../events/emit.ts";
import type { Acl, Bucket, ObjectName, ObjectVersion, Retention, S3Caller, Tags } from "../types/index.ts";
import { detailColumn, detailOf, keyBytes, tagsColumn, versionOf, type Detail } from "./detail.ts";
import { requireVersion } from "./find.ts";
import { requireObjectLock, requireRetentionChange } from "./lock.ts";
import { changeVersion } from "./store.ts";
import { stateForWrite, type WriteDeps } from "./version.ts";

interface Change {
  readonly tags?: Tags;
  readonly detail?: { readonly [K in keyof Detail]?: Detail[K] | null };
}

/** Changes the metadata of one version, with its event and its audit entry, in one transaction. */
async function changeObject(
  deps: WriteDeps,
  bucket: Bucket,
  name: ObjectName,
  decide: (before: Detail) => Change,
  effects: {
    readonly audit?: { readonly caller: S3Caller; readonly action: string; readonly detail: Record<string, unknown> };
    readonly event?: { readonly caller: S3Caller; readonly name: EventName };
  },
): Promise<ObjectVersion> {
  return deps.metadata.write(async (tx) => {
    await stateForWrite(deps, tx, bucket, keyBytes(name.key));
    const { table, row, isLatest } = await requireVersion(tx, bucket, name);
    const before = detailOf(row);
    const { tags, detail } = decide(before);
    const change = {
      tags: tags === undefined ? row.tags : tagsColumn(tags),
      detail: detail === undefined ? row.detail : detailColumn({ ...before, ...detail }),
    };
    changeVersion(tx, table, row, change);
    const { audit, event } = effects;
    if (event !== undefined) await emit(deps, tx, bucket, { ...event, key: name.key, versionId: row.version_id });
    if (audit !== undefined) {
      const where = { bucket: bucket.name, key: name.key, version_id: row.version_id };
      await appendAudit(deps, tx, {
        ...auditOf(audit.caller, bucket),
        action: audit.action,
        detail: { ...where, ...audit.detail },
      });
    }
    return versionOf({ ...row, ...change }, bucket, isLatest);
  });
}

export async function setTags(
  deps: S3Deps,
  caller: S3Caller,
  bucket: Bucket,
  name: ObjectName,
  tags: Tags,
): Promise<ObjectVersion> {
  const event = {
    caller,
    name: Object.keys(tags).length === 0 ? "ObjectTagging:Delete" : "ObjectTagging:Put",
  } as const;
  return changeObject(deps, bucket, name, () => ({ tags }), { event });
}

export async function setAcl(
  deps: S3Deps,
  caller: S3Caller,
  bucket: Bucket,
  name: ObjectName,
  acl: Acl,
): Promise<ObjectVersion> {
  if (bucket.config.ownership === "BucketOwnerEnforced") throw new S3Error("AccessControlListNotSupported");
  validateAcl(bucket, acl);
  const audit = { caller, action: "object.acl.update", detail: { grants: acl.grants } };
  const event = { caller, name: "ObjectAcl:Put" } as const;
  return changeObject(deps, bucket, name, () => ({ detail: { acl } }), { audit, event });
}

export async function setRetention(
  deps: S3Deps,
  caller: S3Caller,
  bucket: Bucket,
  name: ObjectName,
  change: { readonly retention: Retention | null; readonly bypassGovernance: boolean },
): Promise<ObjectVersion> {
  requireObjectLock(bucket);
  const { retention, bypassGovernance } = change;
  const audit = {
    caller,
    action: "object.retention.update",
    detail: { retention, bypass_governance: bypassGovernance },
  };
  const decide = (before: Detail): Change => {
    requireRetentionChange(before.retention, retention, { clock: deps.clock, bypassGovernance });
    return { detail: { retention } };
  };
  return changeObject(deps, bucket, name, decide, { audit });
}

export async function setLegalHold(
  deps: S3Deps,
  caller: S3Caller,
  bucket: Bucket,
  name: ObjectName,
  legalHold: boolean,
): Promise<ObjectVersion> {
  requireObjectLock(bucket);
  const audit = { caller, action: "object.legal_hold.update", detail: { legal_hold: legalHold } };
  return changeObject(deps, bucket, name, () => ({ detail: { legalHold: legalHold ? true : null } }), { audit });
}
