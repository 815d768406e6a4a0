import { answering } from "#domain/idempotency/index.ts";
import type { SAVED_QUERY_ROUTES } from "@mooring/contract";
import { createSavedQuery as create } from "#domain/saved-queries/index.ts";
import type { Operation } from "#http/index.ts";
import type { QuerySurfaceDeps } from "../index.ts";
import { savedQueryBody } from "../model.ts";
import { authorOf, placeFor, savedQueriesOf, WRITING } from "../resources.ts";

export function createSavedQuery(deps: QuerySurfaceDeps): Operation<typeof SAVED_QUERY_ROUTES.createSavedQuery> {
  return async ({ body }, context) => {
    const { project, ...input } = body;
    const place = await placeFor(deps, context.principal, project, WRITING);
    return answering(savedQueryBody, () => create(savedQueriesOf(deps), authorOf(context), place, input));
  };
}
