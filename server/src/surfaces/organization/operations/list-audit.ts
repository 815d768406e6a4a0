import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { listAudit as list } from "#domain/audit/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { auditBody, pageBody } from "../model.ts";
import { filtersOf, pageOf } from "../query.ts";
import { requireOrganization } from "../resources.ts";

export function listAudit(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listAudit> {
  return async ({ query }, { principal }) => {
    requireOrganization(principal, "audit:read");
    return pageBody(await list(deps, principal.orgId, filtersOf(query), pageOf(query)), auditBody);
  };
}
