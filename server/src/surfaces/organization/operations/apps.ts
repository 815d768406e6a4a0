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
import { callerOf } from "#http/index.ts";
import type { OrganizationOperation } from "../deps.ts";
import { appBody, pageBody, versioned } from "../model.ts";
import { pageOf } from "../query.ts";
import { appFor, settled } from "../resources.ts";

export const listApps: OrganizationOperation<"listApps"> = async (deps, { query }, { principal }) => {
  const project = await projectIfNamed(deps, principal, query.project, "apps:read");
  const page = { ...pageOf(query), projectId: project?.id };
  return pageBody(await list(deps, principal.orgId, reachOf(principal, "apps:read"), page), (app) =>
    appBody(app, principal.orgSlug),
  );
};

export const createApp: OrganizationOperation<"createApp"> = async (deps, { body }, context) => {
  const project = await projectFor(deps, context.principal, body.project, "apps:write");
  const { orgSlug } = context.principal;
  return answering(
    (app: App) => appBody(app, orgSlug),
    () => create(deps, callerOf(context), project, body),
  );
};

export const getApp: OrganizationOperation<"getApp"> = async (deps, { params }, context) => {
  const app = await appFor(deps, context.principal, params.app_id, "apps:read");
  return versioned(context, app, appBody(app, context.principal.orgSlug));
};

export const updateApp: OrganizationOperation<"updateApp"> = async (deps, { params, body }, context) => {
  const before = await appFor(deps, context.principal, params.app_id, "apps:write");
  const app = await update(deps, callerOf(context), before, {
    change: body,
    ifMatch: context.request.headers["if-match"],
  });
  return versioned(context, app, appBody(app, context.principal.orgSlug));
};

export const moveApp: OrganizationOperation<"moveApp"> = async (deps, { params, body }, context) => {
  const app = await appFor(deps, context.principal, params.app_id, "apps:write");
  const project = await projectFor(deps, context.principal, body.project, "apps:write");
  const moved = await move(deps, callerOf(context), app, project);
  await settled(deps);
  return appBody(moved, context.principal.orgSlug);
};

export const deleteApp: OrganizationOperation<"deleteApp"> = async (deps, { params }, context) => {
  const app = await appFor(deps, context.principal, params.app_id, "apps:write");
  await remove(deps, callerOf(context), app);
  return undefined;
};
