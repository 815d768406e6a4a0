import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { listMembers as list } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { memberBody, pageBody } from "../model.ts";
import { pageOf } from "../query.ts";
import { requireOrganization } from "../resources.ts";

export function listMembers(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listMembers> {
  return async ({ query }, { principal }) => {
    requireOrganization(principal, "org:read");
    return pageBody(await list(deps, principal.orgId, pageOf(query)), memberBody);
  };
}
