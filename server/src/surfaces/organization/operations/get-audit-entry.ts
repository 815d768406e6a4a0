import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { findAuditEntry } from "#domain/audit/index.ts";
import { absent } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { auditBody } from "../model.ts";
import { requireOrganization } from "../resources.ts";

export function getAuditEntry(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getAuditEntry> {
  return async ({ params }, { principal }) => {
    requireOrganization(principal, "audit:read");
    const entry = await findAuditEntry(deps, principal.orgId, params.entry_id);
    if (entry === undefined) throw absent();
    return auditBody(entry);
  };
}
