import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { getAccessKey } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { activityBody } from "../model.ts";
import { actingOf, keyDepsOf } from "../resources.ts";

export function getS3KeyActivity(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.getS3KeyActivity> {
  return async ({ params }, context) => {
    const { id } = await getAccessKey(keyDepsOf(deps), actingOf(context), params.key_id);
    await deps.identity.activity.flush(); // of this node nothing is missing: what was just done is what one looks for
    return activityBody(await deps.identity.activity.ofCredential(id));
  };
}
