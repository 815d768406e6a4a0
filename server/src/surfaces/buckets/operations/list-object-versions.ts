import type { BUCKET_ROUTES, QueryOf } from "@mooring/contract";
import type { VersionPage } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { Problem } from "#kernel/problem.ts";
import type { BucketsSurfaceDeps } from "../deps.ts";
import { inKeyOrder, versionLine, versionPrefixLine } from "../model.ts";
import { answered, bucketFor, requireAllowed, requireKey } from "../resources.ts";

type Query = QueryOf<typeof BUCKET_ROUTES.listObjectVersions>;

const LIMIT = 100;

/** @throws Problem `not_found`, `forbidden` (the bucket's policy), `invalid_parameter` */
export function listObjectVersions(deps: BucketsSurfaceDeps): Operation<typeof BUCKET_ROUTES.listObjectVersions> {
  return async ({ params, query }, context) => {
    const found = await bucketFor(deps, context, params.app_id, "s3:read");
    const { prefix, delimiter } = wantedOf(query);
    const values = { "s3:prefix": prefix, "s3:delimiter": delimiter };
    await requireAllowed(found, { action: "s3:ListBucketVersions", values });
    const start = query.cursor === undefined ? {} : startOf(found.bucket.id, query.cursor);
    const { limit: max = LIMIT, key } = query;
    const page = await answered(deps.domain.listings.versions(found.bucket, { prefix, delimiter, max, ...start }));
    const versions = page.versions.filter((version) => key === undefined || version.key === key);
    const items = inKeyOrder([...page.prefixes.map(versionPrefixLine), ...versions.map(versionLine)]);
    // A key comes before all that begin with it: when another was met, its own are over.
    const isOver = page.next === null || versions.length < page.versions.length;
    return { items, next_cursor: isOver ? null : cursorOf(found.bucket.id, page.next) };
  };
}

/** @throws Problem `invalid_parameter` */
function wantedOf({ key, prefix, delimiter }: Query): { prefix: string; delimiter: string } {
  if (key === undefined) return { prefix: prefix ?? "", delimiter: delimiter ?? "" };
  requireKey(key);
  if (prefix === undefined && delimiter === undefined) return { prefix: key, delimiter: "" };
  const errors = [{ pointer: "/key", detail: "goes without prefix and delimiter" }];
  throw new Problem("invalid_parameter", "A key stands for itself.", { errors });
}

function cursorOf(bucketId: string, next: VersionPage["next"]): string | null {
  return next === null ? null : encodeCursor([bucketId, next.keyMarker, next.versionIdMarker]);
}

function startOf(bucketId: string, cursor: string): { keyMarker: string; versionIdMarker: string } {
  const [id, keyMarker, versionIdMarker] = decodeCursor(cursor, ["string", "string", "string"]);
  if (id !== bucketId) throw new Problem("invalid_parameter", "The cursor is of another bucket.");
  return { keyMarker, versionIdMarker };
}
