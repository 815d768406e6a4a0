import { answering } from "#domain/idempotency/index.ts";
import { reachOf, requireOrganization } from "#domain/identity/index.ts";
import {
  changeProjectState,
  createProject as create,
  deleteProject as remove,
  listProjects as list,
  updateProject as update,
  projectFor,
  setDeletionLock,
} from "#domain/organizations/index.ts";
import { projectVersion } from "#domain/projects/index.ts";
import { callerOf, type OperationContext } from "#http/index.ts";
import type { OrganizationOperation, OrganizationSurfaceDeps } from "../deps.ts";
import { pageBody, projectBody, versioned } from "../model.ts";
import { pageOf } from "../query.ts";
import { settled } from "../resources.ts";

export const listProjects: OrganizationOperation<"listProjects"> = async (deps, { query }, { principal }) => {
  const { environment, archived } = query;
  const page = { ...pageOf(query), environment, archived };
  return pageBody(await list(deps, principal.orgId, reachOf(principal, "projects:read"), page), projectBody);
};

export const createProject: OrganizationOperation<"createProject"> = async (deps, { body }, context) => {
  requireOrganization(context.principal, "projects:write");
  return answering(projectBody, () => create(deps, callerOf(context), context.principal.orgId, body));
};

export const getProject: OrganizationOperation<"getProject"> = async (deps, { params }, context) => {
  const project = await projectFor(deps, context.principal, params.project_id, "projects:read");
  return versioned(context, projectVersion(project), projectBody(project));
};

export const updateProject: OrganizationOperation<"updateProject"> = async (deps, { params, body }, context) => {
  const before = await projectFor(deps, context.principal, params.project_id, "projects:write");
  const project = await update(deps, callerOf(context), before, {
    change: body,
    ifMatch: context.request.headers["if-match"],
  });
  await settled(deps);
  return versioned(context, projectVersion(project), projectBody(project));
};

export const archiveProject: OrganizationOperation<"archiveProject"> = (deps, { params }, context) =>
  changed(deps, context, params, { act: "enter", state: "archived" });

export const unarchiveProject: OrganizationOperation<"unarchiveProject"> = (deps, { params }, context) =>
  changed(deps, context, params, { act: "leave", state: "archived" });

export const lockProject: OrganizationOperation<"lockProject"> = (deps, { params }, context) =>
  locked(deps, context, params, true);

export const unlockProject: OrganizationOperation<"unlockProject"> = (deps, { params }, context) =>
  locked(deps, context, params, false);

async function locked(
  deps: OrganizationSurfaceDeps,
  context: OperationContext,
  { project_id: id }: { project_id: string },
  isLocked: boolean,
): Promise<ReturnType<typeof projectBody>> {
  const project = await projectFor(deps, context.principal, id, "projects:write");
  return projectBody(await setDeletionLock(deps, callerOf(context), project, isLocked));
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

export const deleteProject: OrganizationOperation<"deleteProject"> = async (deps, { params }, context) => {
  const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
  await remove(deps, callerOf(context), project);
  await settled(deps);
  return undefined;
};
