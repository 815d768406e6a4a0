import { isScope, SCOPES, type Scope } from "@mooring/contract";
import { heldScopes, ORG_ROLE_SCOPES, type PeoplePolicy, type Withheld } from "#domain/identity/access/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { isId } from "#kernel/ids.ts";
import { rangeOf, type Addresses } from "./addresses.ts";
import { tableRuleOf } from "./kinds.ts";
import type { AnyContext } from "./store.ts";

/** The current limits of a credential, in addition to the permissions from its creation. */
export interface Bounds {
  readonly scopes: ReadonlySet<Scope>;
  /** Scopes that it was given and does not have now, with the reason. */
  readonly withheld: ReadonlyMap<Scope, Withheld>;
  /** When it stops working. */
  readonly expiresAtMs: number | null;
  /** The source of that expiry. Null: its own. */
  readonly expiresBy: EndedBy | null;
}

/** `policy`: the longest lifetime that the policy allows. A text: the id of the credential that created it. */
export type EndedBy = "policy" | `cred_${string}`;

export interface Policy {
  /** Null: every scope. */
  readonly allowedScopes: ReadonlySet<Scope> | null;
  readonly lifetimeMsMax: number | null;
  /** New credentials need an expiry. Existing ones stay valid. */
  readonly requireExpiry: boolean;
  /** The addresses from which the organization's credentials may be used. */
  readonly addresses: Addresses;
  /** A new credential waits for an approval, unless its creator could approve it. */
  readonly approvalRequired: boolean;
  /** The requirements for people. */
  readonly people: PeoplePolicy;
}

/** Every scope. The system itself, for example the command line, may give all of them. */
export const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);
export const NO_SCOPES: ReadonlySet<Scope> = new Set();
/** The value of `created_by` for credentials that the command line created. */
export const CREATED_BY_SYSTEM = "system";
const DAY_MS = 24 * 60 * 60 * 1000;

/** Parses a policy. @throws Error for an invalid value, so that nothing is allowed */
export function parsePolicy(json: string): Policy {
  const policy = JSON.parse(json) as Record<string, unknown>;
  const { allowed_scopes: allowed = null, credential_lifetime_days_max: days = null } = policy;
  const { require_expiry = false, allowed_addresses: addresses = null, approval_required = false } = policy;
  const { second_factor_required: secondFactor = false, sign_in: signIn = "any" } = policy;
  if (allowed !== null && !Array.isArray(allowed))
    throw new Error("cannot read an organization's policy: allowed_scopes is not a list");
  if (days !== null && typeof days !== "number")
    throw new Error("cannot read an organization's policy: the lifetime is not a number");
  if (addresses !== null && !Array.isArray(addresses))
    throw new Error("cannot read an organization's policy: allowed_addresses is not a list");
  return {
    allowedScopes:
      allowed === null
        ? null
        : new Set(allowed.filter((scope): scope is Scope => typeof scope === "string" && isScope(scope))),
    lifetimeMsMax: days === null ? null : days * DAY_MS,
    // A value other than true or false must not weaken the policy.
    requireExpiry: require_expiry !== false,
    addresses: addresses === null ? null : addresses.map(rangeOf),
    approvalRequired: approval_required !== false,
    people: { secondFactorRequired: secondFactor !== false, providerRequired: signIn !== "any" },
  };
}

export function parseScopes(column: string): Set<Scope> {
  return new Set(column.split(" ").filter(isScope));
}

/** Renders scopes in the order of the list of scopes, so that equal sets give equal texts. */
export function renderScopes(scopes: ReadonlySet<Scope>): string {
  return SCOPES.filter((scope) => scopes.has(scope)).join(" ");
}

/**
 * Returns the credential's own scopes, limited by the organization's policy and by the current permissions of its
 * creator. `creator` is the credential that created it, if one did.
 */
export function boundsOf(context: AnyContext, creator: CreatorCredential | undefined): Bounds {
  const policy = parsePolicy(context.policy);
  const scopes = new Set<Scope>();
  const withheld = new Map<Scope, Withheld>();
  const held = creatorScopes(context, creator);
  for (const scope of parseScopes(context.scopes)) {
    const reason = withheldOf(scope, { context, policy, held, creator });
    if (reason === undefined) scopes.add(scope);
    else withheld.set(scope, reason);
  }
  return { scopes, withheld, ...expiryOf(context, policy, creator) };
}

interface Cut {
  readonly context: AnyContext;
  readonly policy: Policy;
  readonly held: ReturnType<typeof creatorScopes>;
  readonly creator: CreatorCredential | undefined;
}

function withheldOf(scope: Scope, { context, policy, held, creator }: Cut): Withheld | undefined {
  if (context.pending === 1) return { by: "approval" };
  if (policy.allowedScopes?.has(scope) === false) return { by: "policy" };
  if (held === undefined) return { by: "project" };
  if (held.has(scope)) return undefined;
  if (isId("cred", context.created_by))
    return { by: "parent", id: context.created_by, because: creator?.bounds.withheld.get(scope) ?? { by: "scope" } };
  return { by: "role", role: context.creator_role, projectRole: context.creator_project_role };
}

function expiryOf(
  context: AnyContext,
  { lifetimeMsMax }: Policy,
  creator: CreatorCredential | undefined,
): Pick<Bounds, "expiresAtMs" | "expiresBy"> {
  const byPolicy = lifetimeMsMax === null ? null : context.created_at + lifetimeMsMax;
  const byCreator = tableRuleOf(context).endsWithCreator ? (creator?.bounds.expiresAtMs ?? null) : null;
  const expiresAtMs = earliest(context.expires_at, byPolicy, byCreator);
  if (expiresAtMs === null || expiresAtMs === context.expires_at) return { expiresAtMs, expiresBy: null };
  const parent = expiresAtMs === byPolicy ? "policy" : (creator?.bounds.expiresBy ?? creator?.id ?? null);
  return { expiresAtMs, expiresBy: parent };
}

export interface CreatorCredential {
  readonly id: `cred_${string}`;
  readonly projectId: string | null;
  readonly bounds: Bounds;
}

/**
 * Returns the creator's current scopes in the credential's project or organization. Undefined: the project was deleted,
 * or is hidden from the creator.
 */
export function creatorScopes(
  context: AnyContext,
  creator: CreatorCredential | undefined,
): ReadonlySet<Scope> | undefined {
  if (context.project_id !== null && context.visibility === null) return undefined;
  if (context.created_by === CREATED_BY_SYSTEM) return ALL_SCOPES;
  const bound = { orgId: context.org_id, orgSlug: context.org_slug, id: context.created_by };
  if (isId("cred", context.created_by)) {
    if (creator === undefined) return NO_SCOPES;
    const { projectId, bounds } = creator;
    const principal = { ...bound, kind: "credential", clientId: "", projectId, scopes: bounds.scopes } as const;
    return heldScopes(principal, resourceOf(context));
  }
  const role = context.creator_role;
  if (role === null) return NO_SCOPES; // the creator has left the organization
  const own = context.creator_project_role;
  const projects = new Map(own === null || context.project_id === null ? [] : [[context.project_id, own] as const]);
  const person = { ...bound, kind: "person", email: "", role, scopes: ORG_ROLE_SCOPES[role], projects } as const;
  return heldScopes(person, resourceOf(context));
}

export function earliest(...times: readonly (number | null)[]): number | null {
  const set = times.filter((time) => time !== null);
  return set.length === 0 ? null : Math.min(...set);
}
