import type { SAVED_QUERY_ROUTES } from "@mooring/contract";
import { deleteSavedQuery as remove } from "#domain/saved-queries/index.ts";
import type { Operation } from "#http/index.ts";
import type { QuerySurfaceDeps } from "../index.ts";
import { authorOf, savedQueriesOf, savedQueryFor, WRITING } from "../resources.ts";

export function deleteSavedQuery(deps: QuerySurfaceDeps): Operation<typeof SAVED_QUERY_ROUTES.deleteSavedQuery> {
  return async ({ params }, context) => {
    const query = await savedQueryFor(deps, context.principal, params.query_id, WRITING);
    await remove(savedQueriesOf(deps), authorOf(context), query);
    return undefined;
  };
}
