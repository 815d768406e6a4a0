import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import { createProject as create } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { projectBody } from "../model.ts";
import { callerOf, requireOrganization } from "../resources.ts";

export function createProject(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.createProject> {
  return async ({ body }, context) => {
    requireOrganization(context.principal, "projects:write");
    return answering(projectBody, () => create(deps, callerOf(context), context.principal.orgId, body));
  };
}
