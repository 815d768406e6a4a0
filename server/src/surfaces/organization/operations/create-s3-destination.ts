import { answering } from "#domain/idempotency/index.ts";
import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { createDestination, type MadeDestination } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { s3DestinationBody } from "../model.ts";
import { callerOf, destinationDepsOf, requireOrganization } from "../resources.ts";

export function createS3Destination(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.createS3Destination> {
  return async ({ body }, context) => {
    const { principal } = context;
    requireOrganization(principal, "webhooks:write");
    void context.reply.header("cache-control", "no-store");
    return answering(
      ({ destination, secret }: MadeDestination) => ({ ...s3DestinationBody(destination), secret }),
      () => createDestination(destinationDepsOf(deps), callerOf(context), principal.orgId, body),
    );
  };
}
