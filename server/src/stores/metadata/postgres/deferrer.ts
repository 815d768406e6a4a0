import type { QueryResult } from "kysely";
import type { Deferred, DeferrerOf } from "../deferred.ts";
import { postgresConnection } from "./dialect.ts";

/** Begins each statement at once; Kysely runs those of a transaction one after another, in the order in which they were begun. */
export const postgresDeferrer: DeferrerOf = (tx) =>
  tx.getExecutor().provideConnection(async (connection) => {
    const own = postgresConnection(connection);
    const begun: { readonly deferred: Deferred; readonly result: Promise<QueryResult<unknown>> }[] = [];
    return {
      add: (deferred) => {
        own.assertUsable();
        const result = tx.executeQuery(deferred.query);
        result.catch(() => {}); // `settle` tells it
        begun.push({ deferred, result });
      },
      readAhead: async (query) => (await tx.executeQuery(query)).rows,
      settle: async () => {
        const results = await Promise.allSettled(begun.map(({ result }) => result));
        for (const [at, outcome] of results.entries()) {
          if (outcome.status === "rejected") throw outcome.reason;
          const expected = begun[at]?.deferred.expected;
          if (expected !== undefined && Number(outcome.value.numAffectedRows) !== expected.changes)
            throw expected.orElse();
        }
      },
      abort: (reason) => own.abort(reason),
    };
  });
