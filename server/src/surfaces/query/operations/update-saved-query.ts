import type { SAVED_QUERY_ROUTES } from "@mooring/contract";
import { updateSavedQuery as update } from "#domain/saved-queries/index.ts";
import type { Operation } from "#http/index.ts";
import type { QuerySurfaceDeps } from "../index.ts";
import { versioned } from "../model.ts";
import { authorOf, savedQueriesOf, savedQueryFor, WRITING } from "../resources.ts";

export function updateSavedQuery(deps: QuerySurfaceDeps): Operation<typeof SAVED_QUERY_ROUTES.updateSavedQuery> {
  return async ({ params, body }, context) => {
    const before = await savedQueryFor(deps, context.principal, params.query_id, WRITING);
    const options = { change: body, ifMatch: context.request.headers["if-match"] };
    return versioned(context, await update(savedQueriesOf(deps), authorOf(context), before, options));
  };
}
