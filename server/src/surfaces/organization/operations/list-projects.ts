import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { reachOf } from "#domain/identity/index.ts";
import { listProjects as list } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { pageBody, projectBody } from "../model.ts";
import { pageOf } from "../query.ts";

export function listProjects(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listProjects> {
  return async ({ query }, { principal }) => {
    const { environment, archived } = query;
    const page = { ...pageOf(query), environment, archived };
    return pageBody(await list(deps, principal.orgId, reachOf(principal, "projects:read"), page), projectBody);
  };
}
