import type { QueryOrigin } from "../types.ts";

/** The origin of queries in tests. */
export const TEST_ORIGIN: QueryOrigin = {
  actor: { kind: "credential", id: "cred_1" },
  surface: "query",
  requestId: null,
};
