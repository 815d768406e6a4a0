import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { updateApp as update } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { appBody, versioned } from "../model.ts";
import { appFor, callerOf } from "../resources.ts";

export function updateApp(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.updateApp> {
  return async ({ params, body }, context) => {
    const before = await appFor(deps, context.principal, params.app_id, "apps:write");
    const app = await update(deps, callerOf(context), before, {
      change: body,
      ifMatch: context.request.headers["if-match"],
    });
    return versioned(context, app, appBody(app, context.principal.orgSlug));
  };
}
