import type { ORGANIZATION_ROUTES, ResultOf } from "@mooring/contract";

export type Trust = ResultOf<typeof ORGANIZATION_ROUTES.getTrust>;
export type Tested = ResultOf<typeof ORGANIZATION_ROUTES.testTrust>;

/** The page's state in its address. */
export type TrustSearch = {
  /** Id of the open trust. */
  readonly trust: string | undefined;
  readonly q: string | undefined;
  /** Lists only trusts of this credential. The form preselects it. */
  readonly credential: string | undefined;
  /** Whether the form for a new trust is open. */
  readonly new: boolean | undefined;
};
