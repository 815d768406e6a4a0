import { QUERY_ROUTES } from "@mooring/contract";
import { useQuery } from "@tanstack/react-query";
import { useOrganization } from "~/app/scope.ts";
import type { SqlSchema } from "./editor-completion.ts";

/** Returns the tables, columns and functions that a statement may use. They are loaded once. */
export function useSchema(): (SqlSchema & { examples: readonly { title: string; sql: string }[] }) | undefined {
  const { client, slug } = useOrganization();
  const { data } = useQuery({
    queryKey: [slug, QUERY_ROUTES.getQuerySchema.operationId],
    queryFn: ({ signal }) => client.call(QUERY_ROUTES.getQuerySchema, { signal }),
    staleTime: 300_000,
  });
  return data;
}
