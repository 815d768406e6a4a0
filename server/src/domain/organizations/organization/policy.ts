import type { Orphans, Scope } from "@mooring/contract";

export interface OrganizationPolicy {
  /** Scopes that credentials of the organization may have. Null: every scope. */
  allowed_scopes: Scope[] | null;
  credential_lifetime_days_max: number | null;
  /** New credentials and keys need an expiry. */
  require_expiry: boolean;
  /** CIDR ranges from which the organization may be used, in addition to the lists of credentials. Null: any address. */
  allowed_addresses: string[] | null;
  /** Whom the list binds. Personal access tokens count as both. */
  allowed_addresses_for: "programs" | "people" | "both";
  /** Credentials and keys that were created without members:write wait for an approval. */
  approval_required: boolean;
  /** People must sign in with a second factor. */
  second_factor_required: boolean;
  /** How people may sign in: in any way, or only at the provider. */
  sign_in: "any" | "provider";
  /** People may sign in on another machine by a code. */
  device_login: boolean;
  /** What happens to the credentials of a member who leaves, if the request does not say it. */
  orphans: Orphans;
  /** The member who adopts them if there is no other person. Null: nobody. */
  heir: string | null;
  /** How long entries of the audit log are kept. Null: the server's default. */
  audit_retention_days: number | null;
}
