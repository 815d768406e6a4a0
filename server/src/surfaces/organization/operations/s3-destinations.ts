import { answering } from "#domain/idempotency/index.ts";
import {
  createDestination,
  deleteDestination,
  getDestination,
  listDestinations,
  type MadeDestination,
} from "#domain/s3/index.ts";
import { callerOf } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { OrganizationOperation } from "../deps.ts";
import { s3DestinationBody } from "../model.ts";
import { pageOf } from "../query.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import { destinationDepsOf } from "../resources.ts";

export const listS3Destinations: OrganizationOperation<"listS3Destinations"> = async (
  deps,
  { query },
  { principal },
) => {
  requireOrganization(principal, "webhooks:read");
  const { limit, cursor } = pageOf(query);
  const beforeId = cursor === undefined ? undefined : decodeCursor(cursor, ["string"])[0];
  const rows = await listDestinations(deps, principal.orgId, { beforeId, limit: limit + 1 });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const next = rows.length > limit && last !== undefined ? encodeCursor([last.id]) : null;
  return { items: items.map(s3DestinationBody), next_cursor: next };
};

export const createS3Destination: OrganizationOperation<"createS3Destination"> = async (deps, { body }, context) => {
  const { principal } = context;
  requireOrganization(principal, "webhooks:write");
  void context.reply.header("cache-control", "no-store");
  return answering(
    ({ destination, secret }: MadeDestination) => ({ ...s3DestinationBody(destination), secret }),
    () => createDestination(destinationDepsOf(deps), callerOf(context), principal.orgId, body),
  );
};

export const getS3Destination: OrganizationOperation<"getS3Destination"> = async (deps, { params }, { principal }) => {
  requireOrganization(principal, "webhooks:read");
  const { destination, undelivered } = await getDestination(deps, principal.orgId, params.destination_id);
  return {
    ...s3DestinationBody(destination),
    undelivered: undelivered.map(({ id, state, attempts, created_at, last_status, last_error }) => {
      return { id, state, attempts, created_at: isoFromMs(created_at), last_status, last_error };
    }),
  };
};

export const deleteS3Destination: OrganizationOperation<"deleteS3Destination"> = async (deps, { params }, context) => {
  const { principal } = context;
  requireOrganization(principal, "webhooks:write");
  await deleteDestination(destinationDepsOf(deps), callerOf(context), principal.orgId, params.destination_id);
};
