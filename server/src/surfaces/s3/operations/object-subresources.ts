import { S3Error, type Retention, type Tags } from "#domain/s3/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { readSmallBody } from "../body.ts";
import { tagValues, type Answer, type Context } from "../context.ts";
import { ownersAcl } from "../wire/acl.ts";
import { msOfDate } from "../wire/dates.ts";
import { versionField } from "../wire/object-fields.ts";
import { OBJECT_TAGS_MAX, tagElements, tagsOfDocument } from "../wire/tags.ts";
import { parseDocument, requiredText, textIn } from "../wire/xml-tree.ts";
import { renderDocument } from "../wire/xml.ts";
import { aclDocument, aclOfRequest } from "./bucket-access.ts";
import { bypassesGovernance } from "./delete-objects.ts";

const BODY_BYTES_MAX = 64 * 1024;

export async function getObjectTagging({ deps, bucket, key, versionId }: Context): Promise<Answer> {
  const version = await deps.domain.objects.head(bucket, { key, versionId });
  return {
    headers: versionField(bucket, version.versionId),
    body: renderDocument("Tagging", tagElements(version.tags)),
  };
}

export async function putObjectTagging(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key, versionId } = context;
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "Tagging");
  const tags = tagsOfDocument(root, OBJECT_TAGS_MAX);
  await requireTags(context, versionId === undefined ? "s3:PutObjectTagging" : "s3:PutObjectVersionTagging", tags);
  const version = await deps.domain.objects.setTags(caller, bucket, { key, versionId }, tags);
  return { headers: versionField(bucket, version.versionId) };
}

/**
 * Checks the permission again with the tags: policies may have conditions on them, and only the body has them.
 * @throws S3Error `AccessDenied`
 */
export async function requireTags(context: Context, action: string, tags: Tags): Promise<void> {
  const values = { ...context.conditions.values, ...tagValues(Object.entries(tags)) };
  await context.require(action, { values });
}

export async function deleteObjectTagging({ deps, caller, bucket, key, versionId }: Context): Promise<Answer> {
  const version = await deps.domain.objects.setTags(caller, bucket, { key, versionId }, {});
  return { status: 204, headers: versionField(bucket, version.versionId) };
}

export async function getObjectAcl(context: Context): Promise<Answer> {
  const { deps, bucket, key, versionId } = context;
  const version = await deps.domain.objects.head(bucket, { key, versionId });
  const body = await aclDocument(context, version.acl ?? ownersAcl(version.owner));
  return { headers: versionField(bucket, version.versionId), body };
}

export async function putObjectAcl(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key, versionId } = context;
  const { owner } = await deps.domain.objects.head(bucket, { key, versionId });
  const acl = await aclOfRequest(context, owner);
  await deps.domain.buckets.requireReached(bucket, acl);
  const version = await deps.domain.objects.setAcl(caller, bucket, { key, versionId }, acl);
  return { headers: versionField(bucket, version.versionId) };
}

export async function getObjectRetention(context: Context): Promise<Answer> {
  const { deps, bucket, key, versionId } = context;
  requireLock(context);
  const { retention } = await deps.domain.objects.head(bucket, { key, versionId });
  if (retention === null) throw new S3Error("NoSuchObjectLockConfiguration");
  const { mode: Mode, untilMs } = retention;
  return { body: renderDocument("Retention", { Mode, RetainUntilDate: isoFromMs(untilMs) }) };
}

export async function putObjectRetention(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key, versionId } = context;
  requireLock(context);
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "Retention");
  const [mode, until] = [textIn(root, "Mode"), textIn(root, "RetainUntilDate")];
  const untilMs = msOfDate(until ?? "");
  const isMode = mode === "GOVERNANCE" || mode === "COMPLIANCE";
  // An empty document removes the retention.
  if ((mode !== undefined || until !== undefined) && (!isMode || Number.isNaN(untilMs)))
    throw new S3Error("MalformedXML");
  const retention: Retention | null = isMode ? { mode, untilMs } : null;
  const change = { retention, bypassGovernance: await bypassesGovernance(context) };
  const version = await deps.domain.objects.setRetention(caller, bucket, { key, versionId }, change);
  return { headers: versionField(bucket, version.versionId) };
}

/** @throws S3Error `InvalidRequest` */
export function requireLock({ bucket }: Context): void {
  if (bucket.config.objectLock === undefined)
    throw new S3Error("InvalidRequest", "Bucket is missing Object Lock Configuration");
}

export async function getObjectLegalHold(context: Context): Promise<Answer> {
  const { deps, bucket, key, versionId } = context;
  requireLock(context);
  const { legalHold } = await deps.domain.objects.head(bucket, { key, versionId });
  return { body: renderDocument("LegalHold", { Status: legalHold ? "ON" : "OFF" }) };
}

export async function putObjectLegalHold(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key, versionId } = context;
  requireLock(context);
  const root = parseDocument(await readSmallBody(context, BODY_BYTES_MAX), "LegalHold");
  const status = requiredText(root, "Status");
  if (status !== "ON" && status !== "OFF") throw new S3Error("MalformedXML", "Status must be ON or OFF.");
  const version = await deps.domain.objects.setLegalHold(caller, bucket, { key, versionId }, status === "ON");
  return { headers: versionField(bucket, version.versionId) };
}
