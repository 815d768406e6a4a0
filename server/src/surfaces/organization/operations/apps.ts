import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import { reachOf } from "#domain/identity/index.ts";
import {
  createApp as create,
  deleteApp as remove,
  listApps as list,
  moveApp as move,
  updateApp as update,
  type App,
  projectFor,
  projectIfNamed,
} from "#domain/organizations/index.ts";
import { type Operation, callerOf } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../deps.ts";
import { appBody, pageBody, versioned } from "../model.ts";
import { pageOf } from "../query.ts";
import { appFor, settled } from "../resources.ts";

export function listApps(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listApps> {
  return async ({ query }, { principal }) => {
    const project = await projectIfNamed(deps, principal, query.project, "apps:read");
    const page = { ...pageOf(query), projectId: project?.id };
    return pageBody(await list(deps, principal.orgId, reachOf(principal, "apps:read"), page), (app) =>
      appBody(app, principal.orgSlug),
    );
  };
}

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

export function getApp(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getApp> {
  return async ({ params }, context) => {
    const app = await appFor(deps, context.principal, params.app_id, "apps:read");
    return versioned(context, app, appBody(app, context.principal.orgSlug));
  };
}

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

export function moveApp(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.moveApp> {
  return async ({ params, body }, context) => {
    const app = await appFor(deps, context.principal, params.app_id, "apps:write");
    const project = await projectFor(deps, context.principal, body.project, "apps:write");
    const moved = await move(deps, callerOf(context), app, project);
    await settled(deps);
    return appBody(moved, context.principal.orgSlug);
  };
}

export function deleteApp(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.deleteApp> {
  return async ({ params }, context) => {
    const app = await appFor(deps, context.principal, params.app_id, "apps:write");
    await remove(deps, callerOf(context), app);
    return undefined;
  };
}
