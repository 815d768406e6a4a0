import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { deleteApp as remove } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { appFor, callerOf } from "../resources.ts";

export function deleteApp(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.deleteApp> {
  return async ({ params }, context) => {
    const app = await appFor(deps, context.principal, params.app_id, "apps:write");
    await remove(deps, callerOf(context), app);
    return undefined;
  };
}
