import type { BUCKET_ROUTES, BodyOf, QueryOf, ResultOf } from "@mooring/contract";
import { lastingIdOf } from "#domain/organizations/index.ts";
import { usageOf } from "#domain/quotas/index.ts";
import { newKeyOfGrant, S3Error, type Deleted, type VersionPage } from "#domain/s3/index.ts";
import { attachmentOf } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import { contentUrl } from "../bucket-content.ts";
import { answered, bucketFor, requireAllowed, requireKey, type Found } from "../bucket-resources.ts";
import type { BucketOperation } from "../deps.ts";
import {
  bucketBody,
  inKeyOrder,
  objectDetail,
  objectLine,
  prefixLine,
  versionLine,
  versionPrefixLine,
} from "../model-buckets.ts";

export const getBucket: BucketOperation<"getBucket"> = async (deps, { params }, context) => {
  const found = await bucketFor(deps, context, params.app_id, "s3:read");
  const { bucket } = found;
  // The usage is that of the whole bucket.
  if (context.principal.limits !== undefined)
    await requireAllowed(found, { action: "s3:ListBucket", values: { "s3:prefix": "" } });
  const usage = await usageOf(deps.metadata.read, "objects", { org_id: bucket.orgId, bucket: bucket.id });
  return bucketBody(bucket, { isPublic: deps.domain.buckets.isPublic(bucket), usage });
};

const LIMIT = 100;

/** @throws Problem `not_found`, `forbidden` (the bucket's policy), `invalid_parameter` for a cursor of another listing */
export const listObjects: BucketOperation<"listObjects"> = async (deps, { params, query }, context) => {
  const found = await bucketFor(deps, context, params.app_id, "s3:read");
  const { prefix = "", delimiter = "", limit = LIMIT, cursor } = query;
  await requireAllowed(found, {
    action: "s3:ListBucket",
    values: { "s3:prefix": prefix, "s3:delimiter": delimiter },
  });
  const token = cursor === undefined ? {} : { token: cursor };
  const page = await answered(deps.domain.listings.objects(found.bucket, { prefix, delimiter, max: limit, ...token }));
  const items = inKeyOrder([...page.prefixes.map(prefixLine), ...page.objects.map(objectLine)]);
  return { items, next_cursor: page.nextToken };
};

type Query = QueryOf<typeof BUCKET_ROUTES.listObjectVersions>;

/** @throws Problem `not_found`, `forbidden` (the bucket's policy), `invalid_parameter` */
export const listObjectVersions: BucketOperation<"listObjectVersions"> = async (deps, { params, query }, context) => {
  const found = await bucketFor(deps, context, params.app_id, "s3:read");
  const { prefix, delimiter } = wantedOf(query);
  const values = { "s3:prefix": prefix, "s3:delimiter": delimiter };
  await requireAllowed(found, { action: "s3:ListBucketVersions", values });
  const start = query.cursor === undefined ? {} : startOf(found.bucket.id, query.cursor);
  const { limit: max = LIMIT, key } = query;
  const page = await answered(deps.domain.listings.versions(found.bucket, { prefix, delimiter, max, ...start }));
  const versions = page.versions.filter((version) => key === undefined || version.key === key);
  const items = inKeyOrder([...page.prefixes.map(versionPrefixLine), ...versions.map(versionLine)]);
  // A key sorts before all longer keys with it as a prefix. At the first other key, its versions are complete.
  const isOver = page.next === null || versions.length < page.versions.length;
  return { items, next_cursor: isOver ? null : cursorOf(found.bucket.id, page.next) };
};

/** @throws Problem `invalid_parameter` */
function wantedOf({ key, prefix, delimiter }: Query): { prefix: string; delimiter: string } {
  if (key === undefined) return { prefix: prefix ?? "", delimiter: delimiter ?? "" };
  requireKey(key);
  if (prefix === undefined && delimiter === undefined) return { prefix: key, delimiter: "" };
  const errors = [{ pointer: "/key", detail: "must be sent without prefix and delimiter" }];
  throw new Problem("invalid_parameter", "A key selects one object.", { errors });
}

function cursorOf(bucketId: string, next: VersionPage["next"]): string | null {
  return next === null ? null : encodeCursor([bucketId, next.keyMarker, next.versionIdMarker]);
}

function startOf(bucketId: string, cursor: string): { keyMarker: string; versionIdMarker: string } {
  const [id, keyMarker, versionIdMarker] = decodeCursor(cursor, ["string", "string", "string"]);
  if (id !== bucketId) throw new Problem("invalid_parameter", "The cursor belongs to another bucket.");
  return { keyMarker, versionIdMarker };
}

/** @throws Problem `not_found` (also for a delete marker), `forbidden` (the bucket's policy), `invalid_parameter` */
export const getObject: BucketOperation<"getObject"> = async (deps, { params, query }, context) => {
  const found = await bucketFor(deps, context, params.app_id, "s3:read");
  const { key, version_id: versionId } = query;
  requireKey(key);
  const action = versionId === undefined ? "s3:GetObject" : "s3:GetObjectVersion";
  await requireAllowed(found, { action, key, ...(versionId === undefined ? {} : { versionId }) });
  return objectDetail(await answered(deps.domain.objects.head(found.bucket, { key, versionId })));
};

const LIFETIME_S = 900;

/** @throws Problem `not_found` (also for a delete marker), `forbidden` (the bucket's policy), `invalid_parameter` */
export const createObjectLink: BucketOperation<"createObjectLink"> = async (deps, { params, body }, context) => {
  const found = await bucketFor(deps, context, params.app_id, "s3:read");
  const { bucket } = found;
  const { key, version_id: versionId, expires_in: lifetimeS = LIFETIME_S } = body;
  requireKey(key);
  const version = versionId === undefined ? {} : { versionId };
  await requireAllowed(found, {
    action: versionId === undefined ? "s3:GetObject" : "s3:GetObjectVersion",
    key,
    ...version,
  });
  await answered(deps.domain.objects.head(bucket, { key, versionId }));
  const filename = key.split("/").findLast((segment) => segment !== "") ?? bucket.name;
  const atMs = deps.clock.nowMs();
  const { orgId } = context.principal;
  const principalId = lastingIdOf(context.principal);
  const target = deps.gateway.presign({
    method: "GET",
    bucket: bucket.name,
    key,
    query: [
      { name: "response-content-disposition", value: attachmentOf(filename) },
      ...(versionId === undefined ? [] : [{ name: "versionId", value: versionId }]),
    ],
    ...(await newKeyOfGrant(deps.envelope, { orgId, principalId, bucketId: bucket.id })),
    atMs,
    lifetimeS,
  });
  void context.reply.header("cache-control", "no-store");
  return { url: `${deps.gateway.endpoint}${target}`, filename, expires_at: isoFromMs(atMs + lifetimeS * 1000) };
};

const CONTENT_TYPE = "application/octet-stream";

/** @throws Problem `not_found`, `forbidden` (the bucket's policy), `invalid_parameter` */
export const createObjectUpload: BucketOperation<"createObjectUpload"> = async (deps, { params, body }, context) => {
  const found = await bucketFor(deps, context, params.app_id, "s3:write");
  const { bucket } = found;
  const { key, content_type: contentType = CONTENT_TYPE, expires_in: lifetimeS = LIFETIME_S } = body;
  requireKey(key);
  await requireAllowed(found, { action: "s3:PutObject", key });
  const atMs = deps.clock.nowMs();
  const { orgId } = context.principal;
  const principalId = lastingIdOf(context.principal);
  const headers = { "content-type": contentType };
  const target = deps.gateway.presign({
    method: "PUT",
    bucket: bucket.name,
    key,
    query: [],
    headers,
    ...(await newKeyOfGrant(deps.envelope, { orgId, principalId, bucketId: bucket.id })),
    atMs,
    lifetimeS,
  });
  void context.reply.header("cache-control", "no-store");
  return {
    url: `${deps.gateway.endpoint}${target}`,
    same_origin_url: contentUrl(deps.apiUrl, target),
    headers,
    expires_at: isoFromMs(atMs + lifetimeS * 1000),
  };
};

type Item = ResultOf<typeof BUCKET_ROUTES.deleteObjects>["items"][number];
type Wanted = BodyOf<typeof BUCKET_ROUTES.deleteObjects>["objects"][number];

/**
 * Deletes each object separately, in the order of the request. Reports objects that the bucket's policy or a lock
 * protects, and deletes the others.
 */
export const deleteObjects: BucketOperation<"deleteObjects"> = async (deps, { params, body }, context) => {
  const found = await bucketFor(deps, context, params.app_id, "s3:delete");
  const allowed: Wanted[] = [];
  const items = new Map<Wanted, Item>();
  for (const wanted of body.objects) {
    if (await mayDelete(found, wanted)) allowed.push(wanted);
    else items.set(wanted, refused(wanted, new S3Error("AccessDenied")));
  }
  const objects = allowed.map(({ key, version_id: versionId }) => ({ key, versionId }));
  const deleted = await deps.domain.objects.deleteMany(found.caller, found.bucket, objects);
  for (const [i, wanted] of allowed.entries()) {
    const outcome = deleted[i];
    if (outcome !== undefined) items.set(wanted, "error" in outcome ? refused(wanted, outcome.error) : itemOf(outcome));
  }
  return { items: body.objects.flatMap((wanted) => items.get(wanted) ?? []) };
};

function mayDelete(found: Found, { key, version_id: versionId }: Wanted): Promise<boolean> {
  if (versionId === undefined) return found.allows({ action: "s3:DeleteObject", key });
  return found.allows({ action: "s3:DeleteObjectVersion", key, versionId });
}

function itemOf({ key, versionId, markerVersionId }: Deleted): Item {
  return { key, version_id: versionId, delete_marker: markerVersionId, error: null };
}

/** @throws the error itself if it is not an S3 error */
function refused({ key, version_id }: Wanted, error: unknown): Item {
  if (!(error instanceof S3Error)) throw error;
  const { code, message: detail } = error;
  return { key, version_id: version_id ?? null, delete_marker: null, error: { code, detail } };
}
