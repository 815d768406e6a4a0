import type { ORGANIZATION_ROUTES, ResultOf } from "@mooring/contract";

export type Trust = ResultOf<typeof ORGANIZATION_ROUTES.getTrust>;
export type Tested = ResultOf<typeof ORGANIZATION_ROUTES.testTrust>;

/** The page's state, as its address has it. */
export type TrustSearch = {
  /** Id of the one that is open. */
  readonly trust: string | undefined;
  readonly q: string | undefined;
  /** Only those of this credential; the form proposes it, too. */
  readonly credential: string | undefined;
  /** The form for a new one is open. */
  readonly new: boolean | undefined;
};
