import type { QueryResult } from "kysely";
import type { Deferred, DeferrerOf } from "../deferred.ts";
import { postgresConnection } from "./dialect.ts";

/** Starts each statement at once. Kysely runs the statements of a transaction one after another, in that order. */
export const postgresDeferrer: DeferrerOf = (tx) =>
  tx.getExecutor().provideConnection(async (connection) => {
    const own = postgresConnection(connection);
    const begun: { readonly deferred: Deferred; readonly result: Promise<QueryResult<unknown>> }[] = [];
    return {
      add: (deferred) => {
        own.assertUsable();
        const result = tx.executeQuery(deferred.query);
        result.catch(() => {}); // `settle` reports the error
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
