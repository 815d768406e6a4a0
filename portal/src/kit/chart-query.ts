import { QUERY_ROUTES, type ResultOf } from "@mooring/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { useRead } from "~/api/queries.ts";
import type { SqlRow } from "./chart-rows.ts";

export interface Sql {
  readonly sql: string;
  readonly parameters?: Readonly<Record<string, string | number | boolean | null>> | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit?: number | undefined;
}

type Answer = ResultOf<typeof QUERY_ROUTES.query>;

/**
 * Reads the rows of one statement, with a cache. Times and parameters are part of its key, so they must not change
 * between renders.
 */
export function useSql(
  { sql, parameters, from, to, limit }: Sql,
  options: { enabled?: boolean; refetchMs?: number | undefined } = {},
): UseQueryResult<Answer> & { rows: readonly SqlRow[] } {
  const result = useRead(
    QUERY_ROUTES.query,
    {
      body: {
        sql,
        ...(parameters === undefined ? {} : { parameters }),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(limit === undefined ? {} : { limit }),
      },
    },
    options,
  );
  return { ...result, rows: result.data?.rows ?? [] };
}
