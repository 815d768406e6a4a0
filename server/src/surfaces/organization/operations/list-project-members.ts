import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { listProjectMembers as list } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { pageBody, projectMemberBody } from "../model.ts";
import { pageOf } from "../query.ts";
import { projectFor } from "../resources.ts";

export function listProjectMembers(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.listProjectMembers> {
  return async ({ params, query }, { principal }) => {
    const project = await projectFor(deps, principal, params.project_id, "projects:read");
    return pageBody(await list(deps, project, pageOf(query)), projectMemberBody);
  };
}
