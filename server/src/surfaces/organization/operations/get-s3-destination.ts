import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { getDestination } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { s3DestinationBody } from "../model.ts";
import { requireOrganization } from "../resources.ts";

export function getS3Destination(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.getS3Destination> {
  return async ({ params }, { principal }) => {
    requireOrganization(principal, "webhooks:read");
    const { destination, undelivered } = await getDestination(deps, principal.orgId, params.destination_id);
    return {
      ...s3DestinationBody(destination),
      undelivered: undelivered.map(({ id, state, attempts, created_at, last_status, last_error }) => {
        return { id, state, attempts, created_at: isoFromMs(created_at), last_status, last_error };
      }),
    };
  };
}
