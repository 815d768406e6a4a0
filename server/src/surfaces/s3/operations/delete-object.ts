import type { Deleted } from "#domain/s3/index.ts";
import { requireKey, type Answer, type Context } from "../context.ts";
import { deleteConditions } from "../wire/conditions.ts";

/** Deletes, or puts a delete marker where the bucket has versions. What is not there counts as deleted. */
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
