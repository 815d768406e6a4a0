import { isScope, SCOPES, type Scope } from "@mooring/contract";
import { heldScopes, ORG_ROLE_SCOPES, type PeoplePolicy, type Withheld } from "#domain/identity/access/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { isId } from "#kernel/ids.ts";
import { rangeOf, type Addresses } from "./addresses.ts";
import { tableRuleOf } from "./kinds.ts";
import type { AnyContext } from "./store.ts";

/** The present limits of a credential, in addition to those of its creation. */
export interface Bounds {
  readonly scopes: ReadonlySet<Scope>;
  /** Scopes that it was given and does not have now, and why. */
  readonly withheld: ReadonlyMap<Scope, Withheld>;
  /** From here on it may do nothing. */
  readonly expiresAtMs: number | null;
  /** The source of that expiry; null: its own. */
  readonly expiresBy: EndedBy | null;
}

/** `policy`: the longest lifetime that it allows. A text: the credential that created it. */
export type EndedBy = "policy" | `cred_${string}`;

export interface Policy {
  /** Null: every scope. */
  readonly allowedScopes: ReadonlySet<Scope> | null;
  readonly lifetimeMsMax: number | null;
  /** New credentials need an expiry; older ones go on. */
  readonly requireExpiry: boolean;
  /** From where everything of the organization may be used. */
  readonly addresses: Addresses;
  /** Credentials of creators who could not approve them wait for an approval. */
  readonly approvalRequired: boolean;
  /** The requirements for people. */
  readonly people: PeoplePolicy;
}

/** Every scope: what the system itself, for example the command line on this machine, may give. */
export const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);
export const NO_SCOPES: ReadonlySet<Scope> = new Set();
/** Value of `created_by` for what the command line makes. */
export const CREATED_BY_SYSTEM = "system";
const DAY_MS = 24 * 60 * 60 * 1000;

/** @throws Error when the column holds something else than a policy: then nothing may be allowed by it */
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
    // A value that is neither true nor false requires more, not less.
    requireExpiry: require_expiry !== false,
    addresses: addresses === null ? null : addresses.map(rangeOf),
    approvalRequired: approval_required !== false,
    people: { secondFactorRequired: secondFactor !== false, providerRequired: signIn !== "any" },
  };
}

export function parseScopes(column: string): Set<Scope> {
  return new Set(column.split(" ").filter(isScope));
}

/** In the order of the list of scopes, so that equal sets render alike. */
export function renderScopes(scopes: ReadonlySet<Scope>): string {
  return SCOPES.filter((scope) => scopes.has(scope)).join(" ");
}

/**
 * The credential's own scopes, cut by the organization's policy and by what its creator may do now. `creator` is the
 * credential that created it, where one did.
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
 * The creator's present scopes where the credential works; undefined: its project was deleted, or is hidden from the
 * creator.
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
  if (role === null) return NO_SCOPES; // left the organization
  const own = context.creator_project_role;
  const projects = new Map(own === null || context.project_id === null ? [] : [[context.project_id, own] as const]);
  const person = { ...bound, kind: "person", email: "", role, scopes: ORG_ROLE_SCOPES[role], projects } as const;
  return heldScopes(person, resourceOf(context));
}

export function earliest(...times: readonly (number | null)[]): number | null {
  const set = times.filter((time) => time !== null);
  return set.length === 0 ? null : Math.min(...set);
}
