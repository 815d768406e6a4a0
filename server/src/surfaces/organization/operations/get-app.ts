import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { appBody, versioned } from "../model.ts";
import { appFor } from "../resources.ts";

export function getApp(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getApp> {
  return async ({ params }, context) => {
    const app = await appFor(deps, context.principal, params.app_id, "apps:read");
    return versioned(context, app, appBody(app, context.principal.orgSlug));
  };
}
