import type { BUCKET_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { BucketsSurfaceDeps } from "../deps.ts";
import { inKeyOrder, objectLine, prefixLine } from "../model.ts";
import { answered, bucketFor, requireAllowed } from "../resources.ts";

const LIMIT = 100;

/** @throws Problem `not_found`, `forbidden` (the bucket's policy), `invalid_parameter` for a cursor of another listing */
export function listObjects(deps: BucketsSurfaceDeps): Operation<typeof BUCKET_ROUTES.listObjects> {
  return async ({ params, query }, context) => {
    const found = await bucketFor(deps, context, params.app_id, "s3:read");
    const { prefix = "", delimiter = "", limit = LIMIT, cursor } = query;
    await requireAllowed(found, {
      action: "s3:ListBucket",
      values: { "s3:prefix": prefix, "s3:delimiter": delimiter },
    });
    const token = cursor === undefined ? {} : { token: cursor };
    const page = await answered(
      deps.domain.listings.objects(found.bucket, { prefix, delimiter, max: limit, ...token }),
    );
    const items = inKeyOrder([...page.prefixes.map(prefixLine), ...page.objects.map(objectLine)]);
    return { items, next_cursor: page.nextToken };
  };
}
