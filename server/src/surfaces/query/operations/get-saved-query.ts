import type { SAVED_QUERY_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { QuerySurfaceDeps } from "../index.ts";
import { versioned } from "../model.ts";
import { READING, savedQueryFor } from "../resources.ts";

export function getSavedQuery(deps: QuerySurfaceDeps): Operation<typeof SAVED_QUERY_ROUTES.getSavedQuery> {
  return async ({ params }, context) =>
    versioned(context, await savedQueryFor(deps, context.principal, params.query_id, READING));
}
