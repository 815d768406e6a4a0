import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import { reachOf, requireOrganization } from "#domain/identity/index.ts";
import {
  archiveProject as archive,
  createProject as create,
  deleteProject as remove,
  listProjects as list,
  updateProject as update,
  projectFor,
} from "#domain/organizations/index.ts";
import { projectVersion } from "#domain/projects/index.ts";
import { type Operation, callerOf } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../deps.ts";
import { pageBody, projectBody, versioned } from "../model.ts";
import { pageOf } from "../query.ts";
import { settled } from "../resources.ts";

export function listProjects(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listProjects> {
  return async ({ query }, { principal }) => {
    const { environment, archived } = query;
    const page = { ...pageOf(query), environment, archived };
    return pageBody(await list(deps, principal.orgId, reachOf(principal, "projects:read"), page), projectBody);
  };
}

export function createProject(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.createProject> {
  return async ({ body }, context) => {
    requireOrganization(context.principal, "projects:write");
    return answering(projectBody, () => create(deps, callerOf(context), context.principal.orgId, body));
  };
}

export function getProject(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getProject> {
  return async ({ params }, context) => {
    const project = await projectFor(deps, context.principal, params.project_id, "projects:read");
    return versioned(context, projectVersion(project), projectBody(project));
  };
}

export function updateProject(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.updateProject> {
  return async ({ params, body }, context) => {
    const before = await projectFor(deps, context.principal, params.project_id, "projects:write");
    const project = await update(deps, callerOf(context), before, {
      change: body,
      ifMatch: context.request.headers["if-match"],
    });
    await settled(deps);
    return versioned(context, projectVersion(project), projectBody(project));
  };
}

export function archiveProject(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.archiveProject> {
  return async ({ params }, context) => {
    const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
    const after = await archive(deps, callerOf(context), project, { archived: true });
    await settled(deps);
    return projectBody(after);
  };
}

export function unarchiveProject(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.unarchiveProject> {
  return async ({ params }, context) => {
    const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
    const after = await archive(deps, callerOf(context), project, { archived: false });
    await settled(deps);
    return projectBody(after);
  };
}

export function deleteProject(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.deleteProject> {
  return async ({ params }, context) => {
    const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
    await remove(deps, callerOf(context), project);
    await settled(deps);
    return undefined;
  };
}
