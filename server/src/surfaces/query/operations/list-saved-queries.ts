import type { SAVED_QUERY_ROUTES } from "@mooring/contract";
import { reachOf } from "#domain/identity/index.ts";
import { listSavedQueries as list } from "#domain/saved-queries/index.ts";
import type { Operation } from "#http/index.ts";
import type { QuerySurfaceDeps } from "../index.ts";
import { savedQueryBody } from "../model.ts";
import { placeFor, READING } from "../resources.ts";

export function listSavedQueries(deps: QuerySurfaceDeps): Operation<typeof SAVED_QUERY_ROUTES.listSavedQueries> {
  return async ({ query }, { principal }) => {
    const { project, cursor, limit = 50 } = query;
    const projectId = project === undefined ? undefined : (await placeFor(deps, principal, project, READING))?.id;
    const reach = reachOf(principal, "telemetry:read");
    const page = await list(deps, principal.orgId, reach, { projectId, cursor, limit });
    return { items: page.items.map(savedQueryBody), next_cursor: page.nextCursor };
  };
}
