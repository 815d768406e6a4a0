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
    return activityBody(await deps.identity.activity.ofCredential(id));
  };
}
