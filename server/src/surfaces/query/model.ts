import type { ResultOf, SAVED_QUERY_ROUTES } from "@mooring/contract";
import { parametersOf, type SavedQuery } from "#domain/saved-queries/index.ts";
import type { OperationContext } from "#http/index.ts";
import { etagOf } from "#kernel/versions.ts";
import { isoFromMs } from "#kernel/time.ts";

export type SavedQueryBody = ResultOf<typeof SAVED_QUERY_ROUTES.getSavedQuery>;

export function savedQueryBody(query: SavedQuery): SavedQueryBody {
  return {
    id: query.id,
    name: query.name,
    description: query.description,
    project_id: query.project_id,
    sql: query.sql,
    parameters: parametersOf(query) as SavedQueryBody["parameters"],
    parameter_names: JSON.parse(query.parameter_names) as string[],
    created_by: query.created_by,
    created_at: isoFromMs(query.created_at),
    updated_by: query.updated_by,
    updated_at: isoFromMs(query.updated_at),
  };
}

/** Returns the query's body and sends its version, for `If-Match`. */
export function versioned(context: OperationContext, query: SavedQuery): SavedQueryBody {
  void context.reply.header("etag", etagOf(query));
  return savedQueryBody(query);
}
