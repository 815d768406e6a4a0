import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { createApp as create } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { appBody } from "../model.ts";
import { callerOf, projectFor } from "../resources.ts";

export function createApp(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.createApp> {
  return async ({ body }, context) => {
    const project = await projectFor(deps, context.principal, body.project, "apps:write");
    return appBody(await create(deps, callerOf(context), project, body), context.principal.orgSlug);
  };
}
