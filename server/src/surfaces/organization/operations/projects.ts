import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import { reachOf, requireOrganization } from "#domain/identity/index.ts";
import {
  changeProjectState,
  createProject as create,
  deleteProject as remove,
  listProjects as list,
  updateProject as update,
  projectFor,
} from "#domain/organizations/index.ts";
import { projectVersion } from "#domain/projects/index.ts";
import { callerOf, type Operation, type OperationContext } from "#http/index.ts";
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
  return ({ params }, context) => changed(deps, context, params, { act: "enter", state: "archived" });
}

export function unarchiveProject(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.unarchiveProject> {
  return ({ params }, context) => changed(deps, context, params, { act: "leave", state: "archived" });
}

/** Brings a project into a state, or out of it. */
async function changed(
  deps: OrganizationSurfaceDeps,
  context: OperationContext,
  { project_id: id }: { project_id: string },
  change: Parameters<typeof changeProjectState>[3],
): Promise<ReturnType<typeof projectBody>> {
  const project = await projectFor(deps, context.principal, id, "projects:write");
  const after = await changeProjectState(deps, callerOf(context), project, change);
  await settled(deps);
  return projectBody(after);
}

export function deleteProject(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.deleteProject> {
  return async ({ params }, context) => {
    const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
    await remove(deps, callerOf(context), project);
    await settled(deps);
    return undefined;
  };
}
