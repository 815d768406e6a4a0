import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { getAccessKey } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { s3KeyBody, tagged } from "../model.ts";
import { actingOf, keyDepsOf } from "../resources.ts";

export function getS3Key(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getS3Key> {
  return async ({ params }, context) => {
    const key = await getAccessKey(keyDepsOf(deps), actingOf(context), params.key_id);
    return tagged(context, key.etag, s3KeyBody(key));
  };
}
