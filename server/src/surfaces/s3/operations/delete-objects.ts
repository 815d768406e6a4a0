import { setImmediate } from "node:timers/promises";
import type { Deleted, DeleteObject } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import { requireKey, type Answer, type Context } from "../context.ts";
import { s3ErrorOf } from "../errors.ts";
import { deleteConditions } from "../wire/conditions.ts";
import type { NamedObject } from "../wire/readers.ts";
import { renderDocument, type Value } from "../wire/xml.ts";

/** Deletes an object, or writes a delete marker if the bucket has versions. An absent object counts as deleted. */
export async function deleteObject(context: Context): Promise<Answer> {
  const { deps, bucket, caller, fields, versionId } = context;
  const key = requireKey(context);
  const bypassGovernance = await bypassesGovernance(context);
  const conditions = deleteConditions(fields);
  const deleted = await deps.domain.objects.delete(caller, bucket, { key, versionId, bypassGovernance, conditions });
  return { status: 204, headers: deletedFields(deleted) };
}

function deletedFields({ versionId, deleteMarker, markerVersionId }: Deleted): Record<string, string> {
  const id = versionId ?? markerVersionId;
  return {
    ...(id === null ? {} : { "x-amz-version-id": id }),
    ...(deleteMarker ? { "x-amz-delete-marker": "true" } : {}),
  };
}

/** @throws S3Error `AccessDenied` */
export async function bypassesGovernance(context: Context, key?: string): Promise<boolean> {
  const { fields } = context;
  if (fields.get("x-amz-bypass-governance-retention")?.toLowerCase() !== "true") return false;
  await context.require("s3:BypassGovernanceRetention", key === undefined ? {} : { key });
  return true;
}

const BODY_BYTES_MAX = 2 * 1024 * 1024;

/** Deletes several objects. Each has its own permission check and its own result. */
export async function deleteObjects(context: Context): Promise<Answer> {
  const bytes = await readSmallBody(context, BODY_BYTES_MAX);
  const { isQuiet, objects } = await context.deps.documents.read("deletion", bytes);
  const results = await deleteAll(context, objects.map(objectNamed));
  const body = renderDocument("DeleteResult", {
    Deleted: results.flatMap((result) => (result.error || isQuiet ? [] : [result.elements])),
    Error: results.flatMap((result) => (result.error ? [result.elements] : [])),
  });
  return { body };
}

function objectNamed({ key, versionId, etag, size, time }: NamedObject): DeleteObject {
  const modifiedAtMs = time === undefined ? undefined : Date.parse(time);
  const conditions = {
    ...(etag === undefined ? {} : { ifMatch: etag === "*" ? ("*" as const) : [etag.replace(/^"(.*)"$/, "$1")] }),
    ...(size === undefined || !/^[0-9]{1,15}$/.test(size) ? {} : { ifSize: Number(size) }),
    ...(modifiedAtMs === undefined || Number.isNaN(modifiedAtMs) ? {} : { ifModifiedAtMs: modifiedAtMs }),
  };
  return { key, versionId, conditions };
}

/** After this many permission checks, other requests get a turn. A policy may have hundreds of statements. */
const TURN = 50;

interface Result {
  readonly error: boolean;
  readonly elements: Value;
}

async function deleteAll(context: Context, named: readonly DeleteObject[]): Promise<Result[]> {
  const { deps, caller, bucket } = context;
  const results: (Result | undefined)[] = [];
  const allowed: { readonly index: number; readonly object: DeleteObject }[] = [];
  for (const [index, object] of named.entries()) {
    if (index % TURN === TURN - 1) await setImmediate();
    try {
      requireKey(object);
      await context.require(object.versionId === undefined ? "s3:DeleteObject" : "s3:DeleteObjectVersion", {
        key: object.key,
        ...(object.versionId === undefined ? {} : { versionId: object.versionId }),
      });
      const bypassGovernance = await bypassesGovernance(context, object.key);
      allowed.push({ index, object: { ...object, bypassGovernance } });
    } catch (error) {
      results[index] = failed(object, error);
    }
  }
  const outcomes =
    allowed.length === 0
      ? []
      : await deps.domain.objects.deleteMany(
          caller,
          bucket,
          allowed.map(({ object }) => object),
        );
  for (const [i, { index, object }] of allowed.entries()) {
    const outcome = outcomes[i];
    if (outcome === undefined) throw new Error("a deletion has no outcome");
    if ("error" in outcome) results[index] = failed(object, outcome.error);
    else {
      const { key: Key, versionId: VersionId, deleteMarker, markerVersionId } = outcome;
      const elements = {
        Key,
        VersionId,
        DeleteMarker: deleteMarker ? true : undefined,
        DeleteMarkerVersionId: deleteMarker ? markerVersionId : undefined,
      };
      results[index] = { error: false, elements };
    }
  }
  return results.filter((result) => result !== undefined);
}

function failed({ key: Key, versionId: VersionId }: DeleteObject, cause: unknown): Result {
  const { code: Code, message: Message } = s3ErrorOf(cause);
  return { error: true, elements: { Key, VersionId, Code, Message } };
}
