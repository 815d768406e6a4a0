import type { BodyOf, BUCKET_ROUTES, ResultOf } from "@mooring/contract";
import { S3Error, type Deleted } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import type { BucketsSurfaceDeps } from "../deps.ts";
import { bucketFor, type Found } from "../resources.ts";

type Item = ResultOf<typeof BUCKET_ROUTES.deleteObjects>["items"][number];
type Wanted = BodyOf<typeof BUCKET_ROUTES.deleteObjects>["objects"][number];

/** Each for itself, in their order: what the bucket's policy or a lock keeps is told, and the others go. */
export function deleteObjects(deps: BucketsSurfaceDeps): Operation<typeof BUCKET_ROUTES.deleteObjects> {
  return async ({ params, body }, context) => {
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
      if (outcome !== undefined)
        items.set(wanted, "error" in outcome ? refused(wanted, outcome.error) : itemOf(outcome));
    }
    return { items: body.objects.flatMap((wanted) => items.get(wanted) ?? []) };
  };
}

function mayDelete(found: Found, { key, version_id: versionId }: Wanted): Promise<boolean> {
  if (versionId === undefined) return found.allows({ action: "s3:DeleteObject", key });
  return found.allows({ action: "s3:DeleteObjectVersion", key, versionId });
}

function itemOf({ key, versionId, markerVersionId }: Deleted): Item {
  return { key, version_id: versionId, delete_marker: markerVersionId, error: null };
}

/** @throws what is no answer of S3 */
function refused({ key, version_id }: Wanted, error: unknown): Item {
  if (!(error instanceof S3Error)) throw error;
  const { code, message: detail } = error;
  return { key, version_id: version_id ?? null, delete_marker: null, error: { code, detail } };
}
