import { SCOPES, type Scope } from "@mooring/contract";
import { isWiderRange, lackingToWiden, parseAddresses, renderAddresses, requireHeld } from "#domain/identity/index.ts";
import type { OrganizationPolicy } from "./policy.ts";

/** The settings of an organization that limit its credentials. */
export interface Bounding extends OrganizationPolicy {
  readonly token_lifetime_s: number;
}

/**
 * For each setting: whether a change allows credentials more, for longer, or from more addresses. A new setting needs a
 * line here.
 */
const WIDER: { readonly [K in keyof Bounding]: (before: Bounding[K], after: Bounding[K]) => boolean } = {
  allowed_scopes: (before, after) =>
    before !== null && (after === null || after.some((scope) => !before.includes(scope))),
  credential_lifetime_days_max: (before, after) => before !== null && (after === null || after > before),
  require_expiry: (before, after) => before && !after,
  allowed_addresses: (before, after) =>
    isWiderRange(parseAddresses(renderAddresses(before)), parseAddresses(renderAddresses(after))),
  allowed_addresses_for: (before, after) =>
    (before !== "people" && after === "people") || (before !== "programs" && after === "programs"),
  approval_required: (before, after) => before && !after,
  // Personal access tokens are credentials, too.
  second_factor_required: (before, after) => before && !after,
  sign_in: (before, after) => before === "provider" && after === "any",
  device_login: (before, after) => !before && after,
  // Who adopts gains no permission, and gives none: a credential keeps only what both have.
  orphans: () => false,
  heir: () => false,
  // The minimum of the contract keeps recent entries.
  audit_retention_days: () => false,
  token_lifetime_s: (before, after) => after > before,
};

/**
 * Checks a wider policy. It widens every credential of the organization, so the caller needs all permissions that the
 * policy allows them then.
 * @throws Problem `insufficient_scope` that names what the caller lacks
 */
export function requireMayWidenPolicy(held: ReadonlySet<Scope>, before: Bounding, after: Bounding): void {
  const isWider = (Object.keys(WIDER) as (keyof Bounding)[]).some((name) => isWiderIn(name, before, after));
  requireHeld(held, lackingToWiden(held, { isWider, may: after.allowed_scopes ?? SCOPES }));
}

function isWiderIn<K extends keyof Bounding>(name: K, before: Bounding, after: Bounding): boolean {
  return WIDER[name](before[name], after[name]);
}
