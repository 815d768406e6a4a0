import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { listDestinations } from "#domain/s3/index.ts";
import type { Operation } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { s3DestinationBody } from "../model.ts";
import { pageOf } from "../query.ts";
import { requireOrganization } from "../resources.ts";

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
