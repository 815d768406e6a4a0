import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import {
  createDestination,
  deleteDestination,
  getDestination,
  listDestinations,
  type MadeDestination,
} from "#domain/s3/index.ts";
import { type Operation, callerOf } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { OrganizationSurfaceDeps } from "../deps.ts";
import { s3DestinationBody } from "../model.ts";
import { pageOf } from "../query.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import { destinationDepsOf } from "../resources.ts";

export function listS3Destinations(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.listS3Destinations> {
  return async ({ query }, { principal }) => {
    requireOrganization(principal, "webhooks:read");
    const { limit, cursor } = pageOf(query);
    const beforeId = cursor === undefined ? undefined : decodeCursor(cursor, ["string"])[0];
    const rows = await listDestinations(deps, principal.orgId, { beforeId, limit: limit + 1 });
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    const next = rows.length > limit && last !== undefined ? encodeCursor([last.id]) : null;
    return { items: items.map(s3DestinationBody), next_cursor: next };
  };
}

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

export function deleteS3Destination(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.deleteS3Destination> {
  return async ({ params }, context) => {
    const { principal } = context;
    requireOrganization(principal, "webhooks:write");
    await deleteDestination(destinationDepsOf(deps), callerOf(context), principal.orgId, params.destination_id);
  };
}
