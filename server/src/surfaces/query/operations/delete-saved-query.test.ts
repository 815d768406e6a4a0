import { SAVED_QUERY_ROUTES } from "@mooring/contract";
import type { World } from "../../organization/testing/world.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { newSavedQuery, savedQueryPairs, WITH_QUERIES } from "../testing/saved.ts";

const path = (id: string): string => `/v1/query/saved/${id}`;

testOperation(
  SAVED_QUERY_ROUTES.deleteSavedQuery,
  {
    ask: async (world) => ({ path: path(await newSavedQuery(world)) }),
    hidden: (world) => savedQueryPairs(world, (id) => ({ path: path(id) })),
    problems: {
      conflict: async (world) => {
        const id = await newSavedQuery(world);
        await watch(world, id);
        return { path: path(id) };
      },
    },
  },
  WITH_QUERIES,
);

/** An alert on the query, straight in the records. */
async function watch(world: World, queryId: string): Promise<void> {
  const by = { created_by: "user_1", created_at: 0, updated_by: "user_1", updated_at: 0, revision: 1 };
  const secret = { secret: new Uint8Array(1), secret_version: 1, previous_secret: null, previous_secret_until: null };
  const counts = { progress: "{}", evaluations: 0, deliveries: 0, enabled: 1 };
  const texts = { name: "watching", description: "", settings: "{}", url: "https://example.com/" };
  const row = { id: "alert_1", org_id: world.acme.id, query_id: queryId, ...texts, ...by, ...secret, ...counts };
  await world.metadata.write(async (tx) => void (await tx.insertInto("alert").values(row).execute()));
}
