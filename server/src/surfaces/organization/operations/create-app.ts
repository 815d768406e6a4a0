import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import { createApp as create, type App } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { appBody } from "../model.ts";
import { callerOf, projectFor } from "../resources.ts";

export function createApp(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.createApp> {
  return async ({ body }, context) => {
    const project = await projectFor(deps, context.principal, body.project, "apps:write");
    const { orgSlug } = context.principal;
    return answering(
      (app: App) => appBody(app, orgSlug),
      () => create(deps, callerOf(context), project, body),
    );
  };
}
