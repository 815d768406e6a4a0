import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { verifyAudit as verify } from "#domain/audit/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { verificationBody } from "../model.ts";
import { requireOrganization } from "../resources.ts";

export function verifyAudit(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.verifyAudit> {
  return async (_input, { principal, signal }) => {
    requireOrganization(principal, "audit:read");
    return verificationBody(await verify(deps, principal.orgId, signal));
  };
}
