import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { moveApp as move } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { appBody } from "../model.ts";
import { appFor, callerOf, projectFor, settled } from "../resources.ts";

export function moveApp(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.moveApp> {
  return async ({ params, body }, context) => {
    const app = await appFor(deps, context.principal, params.app_id, "apps:write");
    const project = await projectFor(deps, context.principal, body.project, "apps:write");
    const moved = await move(deps, callerOf(context), app, project);
    await settled(deps);
    return appBody(moved, context.principal.orgSlug);
  };
}
