import type { MemberRole, ProjectMemberRole, ProjectState, Scope } from "@mooring/contract";
import type { Limits } from "./limits.ts";
import type { Suspension } from "#domain/suspension/index.ts";
import type { Standing } from "./standing.ts";
import type { Withheld } from "./reason.ts";

/** An authenticated actor, with everything that `authorize` needs. */
export type Principal = CredentialPrincipal | PersonPrincipal;

export interface CredentialPrincipal {
  readonly kind: "credential";
  readonly id: string;
  readonly clientId: string;
  /** The owner of a personal access token that a service takes as a password. They are the actor in the audit log. */
  readonly ownerId?: string;
  readonly orgId: string;
  readonly orgSlug: string;
  /** The state of the organization. */
  readonly organization: Suspension;
  /** Null: it reaches the whole organization. */
  readonly projectId: string | null;
  readonly projectState?: ProjectState;
  /** The token's scopes, limited to the current permissions of the credential. */
  readonly scopes: ReadonlySet<Scope>;
  /** Scopes that the credential was given, but that do not count now or for this token, with the reason. */
  readonly withheld?: ReadonlyMap<Scope, Withheld>;
  /** The only resources that it reaches. Absent: it is not limited to resources. */
  readonly limits?: Limits | undefined;
}

/** What the roles of a person in a project give them there. */
export interface ProjectRights {
  readonly role: ProjectMemberRole;
  /** The slug of the custom role. Null: the role is built in. */
  readonly customRole: string | null;
  readonly scopes: ReadonlySet<Scope>;
  /** When they end. Null: no end. */
  readonly endsAtMs: number | null;
}

/** The token with which a person acts without a browser session. Its id is in the audit log. */
export interface Via {
  readonly kind: "personal_token" | "login";
  readonly id: string;
}

export interface PersonPrincipal {
  readonly kind: "person";
  readonly id: string;
  readonly email: string;
  readonly orgId: string;
  readonly orgSlug: string;
  /** The state of the organization. */
  readonly organization: Suspension;
  readonly role: MemberRole;
  /** The slug of the custom role. Absent or null: the role is built in. */
  readonly customRole?: string | null;
  /** The scopes of the role, within `limit`. */
  readonly scopes: ReadonlySet<Scope>;
  /** The scopes of the token that the person uses. They also limit the roles in projects. Absent: no limit. */
  readonly limit?: ReadonlySet<Scope>;
  /** Scopes that the token was given, but that do not count now, with the reason. */
  readonly withheld?: ReadonlyMap<Scope, Withheld>;
  /** The only resources that the token reaches. Absent: it is not limited to resources. */
  readonly limits?: Limits | undefined;
  /** The token that they use instead of a browser session. */
  readonly via?: Via;
  /** When they last proved their identity. Absent if no person is present. */
  readonly confirmedAtMs?: number;
  /** How they signed in. Absent if no person is present. */
  readonly standing?: Standing;
  /** When the membership of the organization ends. Null: no end. */
  readonly endsAtMs: number | null;
  /** The rights in projects, by project id. */
  readonly projects: ReadonlyMap<string, ProjectRights>;
}

/** Turns a bearer token into a principal. */
export interface Authenticator {
  /**
   * Authenticates a token. Without `origin`, a credential that is bound to addresses is refused. `keep`: also people of a
   * deleted organization.
   * @throws Problem `invalid_token` (401), `address_not_allowed` (403), or `unavailable` (503) if this node can't
   * decide; faults of the server never give 401
   */
  authenticate(
    token: string,
    origin?: { readonly ip: string | null; readonly requestId: string | null },
    act?: "keep",
  ): Promise<Principal>;
}
