import type { ORGANIZATION_ROUTES, ResultOf } from "@mooring/contract";

export type Credential = ResultOf<typeof ORGANIZATION_ROUTES.getCredential>;
export type NewCredential = ResultOf<typeof ORGANIZATION_ROUTES.createCredential>;

/** The page's state, as its address has it. */
export type CredentialSearch = {
  /** Id of the one that is open. */
  readonly credential: string | undefined;
  readonly revoked: boolean | undefined;
  readonly q: string | undefined;
  /** The form for a new one is open; the others fill it in. */
  readonly new: boolean | undefined;
  readonly template: string | undefined;
  readonly name: string | undefined;
  readonly scopes: string | undefined;
  readonly for_project: string | undefined;
  readonly expires_days: number | string | undefined;
  readonly without_secret: boolean | undefined;
};
