import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { deleteDestination } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { callerOf, destinationDepsOf, requireOrganization } from "../resources.ts";

export function deleteS3Destination(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.deleteS3Destination> {
  return async ({ params }, context) => {
    const { principal } = context;
    requireOrganization(principal, "webhooks:write");
    await deleteDestination(destinationDepsOf(deps), callerOf(context), principal.orgId, params.destination_id);
  };
}
