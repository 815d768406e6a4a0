import type { Scope } from "@mooring/contract";

export interface OrganizationPolicy {
  /** Scopes that credentials of the organization may have; null: every scope. */
  allowed_scopes: Scope[] | null;
  credential_lifetime_days_max: number | null;
  /** New credentials and keys need an expiry. */
  require_expiry: boolean;
  /** CIDR ranges from which credentials and access keys may be used, in addition to their own; null: from anywhere. */
  allowed_addresses: string[] | null;
  /** Credentials and keys created without members:write wait for an approval. */
  approval_required: boolean;
  /** People must have shown more than a password. */
  second_factor_required: boolean;
  /** Whether people may sign in any way or at the provider only. */
  sign_in: "any" | "provider";
}
