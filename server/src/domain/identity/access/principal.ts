import type { OrgRole, ProjectRole, ProjectState, Scope } from "@mooring/contract";
import type { Standing } from "./standing.ts";
import type { Withheld } from "./reason.ts";

/** Who makes a request, after authentication, with everything that `authorize` needs. */
export type Principal = CredentialPrincipal | PersonPrincipal;

export interface CredentialPrincipal {
  readonly kind: "credential";
  readonly id: string;
  readonly clientId: string;
  readonly orgId: string;
  readonly orgSlug: string;
  /** Null: reaches the whole organization. */
  readonly projectId: string | null;
  /** The state of its project. */
  readonly projectState?: ProjectState;
  /** The token's scopes, cut to what the credential may do at this moment. */
  readonly scopes: ReadonlySet<Scope>;
  /** Scopes that the credential was given and that do not count now, or not for this token, and why. */
  readonly withheld?: ReadonlyMap<Scope, Withheld>;
}

export interface PersonPrincipal {
  readonly kind: "person";
  readonly id: string;
  readonly email: string;
  readonly orgId: string;
  readonly orgSlug: string;
  readonly role: OrgRole;
  /** The role's scopes. */
  readonly scopes: ReadonlySet<Scope>;
  /** When they last proved who they are; absent where nobody is there to prove it. */
  readonly confirmedAtMs?: number;
  /** How they signed in; absent where nobody is there who did. */
  readonly standing?: Standing;
  /** Roles in projects, by project id. */
  readonly projects: ReadonlyMap<string, ProjectRole>;
}

/** Turns a bearer token into a principal. */
export interface Authenticator {
  /**
   * Without `origin`, a credential that is bound to addresses is refused.
   * @throws Problem `invalid_token` (401), `address_not_allowed` (403), or `unavailable` (503) when this node can't know; never 401 for our own faults.
   */
  authenticate(
    token: string,
    origin?: { readonly ip: string | null; readonly requestId: string | null },
  ): Promise<Principal>;
}
