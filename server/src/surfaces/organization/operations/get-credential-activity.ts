import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { activityBody } from "../model.ts";
import { actingOf } from "../resources.ts";

export function getCredentialActivity(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.getCredentialActivity> {
  return async ({ params }, context) => {
    const { id } = await deps.identity.credentials.get(actingOf(context), params.credential_id);
    await deps.identity.activity.flush(); // of this node nothing is missing: what was just done is what one looks for
    return activityBody(await deps.identity.activity.ofCredential(id));
  };
}
