import { allowsAddress, isSameList } from "../../access/address-list.ts";
import type { ORGANIZATION_ROUTES, ResultOf, Scope } from "@mooring/contract";

type Organization = ResultOf<typeof ORGANIZATION_ROUTES.getOrganization>;
export type Policy = Organization["policy"];
export type Credential = ResultOf<typeof ORGANIZATION_ROUTES.getCredential>;

/** The effects of a policy on existing credentials. */
export interface Effects {
  /** Credentials that lose scopes, with these scopes. */
  readonly losing: readonly { readonly credential: Credential; readonly scopes: readonly Scope[] }[];
  /** Credentials that expire at once. */
  readonly ending: readonly Credential[];
  /** Credentials that expire earlier than now, but not at once. */
  readonly shortened: readonly Credential[];
  /** Credentials whose last address is not in the list. */
  readonly outside: readonly Credential[];
}

const DAY_MS = 86_400_000;

/**
 * Returns the effects of a policy on active credentials. A policy also applies to existing credentials: they lose
 * scopes at once, and the lifetime counts from their creation.
 */
export function effectsOf(next: Policy, present: Policy, credentials: readonly Credential[], now: Date): Effects {
  const losing: { credential: Credential; scopes: readonly Scope[] }[] = [];
  const ending: Credential[] = [];
  const shortened: Credential[] = [];
  const outside: Credential[] = [];
  const [before, after] = [programAddresses(present), programAddresses(next)];
  const isMoved = !isSameList(after, before);
  for (const credential of credentials) {
    const endsNow = endOf(credential, present);
    if (credential.revoked_at !== null || endsNow <= now.getTime()) continue;
    const scopes = credential.effective_scopes.filter((scope) => next.allowed_scopes?.includes(scope) === false);
    if (scopes.length > 0) losing.push({ credential, scopes });
    const { last_used_ip: ip } = credential;
    if (isMoved && ip !== null && !allowsAddress(after, ip)) outside.push(credential);
    const endsThen = endOf(credential, next);
    if (endsThen <= now.getTime()) ending.push(credential);
    else if (endsThen < endsNow) shortened.push(credential);
  }
  return { losing, ending, shortened, outside };
}

/** The list that binds credentials. Null: none. */
function programAddresses({ allowed_addresses: addresses, allowed_addresses_for: bound }: Policy): string[] | null {
  return bound === "people" ? null : addresses;
}

function endOf({ created_at: created, expires_at: expires }: Credential, policy: Policy): number {
  const days = policy.credential_lifetime_days_max;
  const byPolicy = days === null ? Infinity : Date.parse(created) + days * DAY_MS;
  return Math.min(byPolicy, expires === null ? Infinity : Date.parse(expires));
}

/** Groups scopes by service, in the same order: `files:read` is in the group files. */
export function groupsOf(scopes: readonly Scope[]): readonly (readonly [group: string, scopes: readonly Scope[]])[] {
  const groups = Map.groupBy(scopes, (scope) => scope.split(":")[0] ?? scope);
  return [...groups];
}

/** Compares policies, and ignores the order of scopes. */
export function isSamePolicy(one: Policy, other: Policy): boolean {
  const text = ({ allowed_scopes: scopes, allowed_addresses: addresses, ...rest }: Policy): string =>
    JSON.stringify([
      scopes?.toSorted() ?? null,
      addresses?.toSorted() ?? null,
      rest.credential_lifetime_days_max,
      rest.require_expiry,
      rest.allowed_addresses_for,
      rest.approval_required,
      rest.device_login,
      rest.orphans,
      rest.heir,
      rest.audit_retention_days,
    ]);
  return text(one) === text(other);
}
