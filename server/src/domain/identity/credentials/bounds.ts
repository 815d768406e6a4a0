import { isScope, SCOPES, type Scope } from "@mooring/contract";
import {
  hasAny,
  heldScopes,
  ORG_ROLE_SCOPES,
  nameOfRole,
  rightsOfGrants,
  scopesOfRole,
  type Limits,
  type PeoplePolicy,
  type Withheld,
} from "#domain/identity/access/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { ACTIVE } from "#domain/suspension/index.ts";
import { isId } from "#kernel/ids.ts";
import { earliest, hasPassed } from "#kernel/time.ts";
import { rangeOf, type Addresses } from "./addresses.ts";
import { parseInherited } from "./inherited.ts";
import { limitsOf } from "./limits.ts";
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
  /** The earliest end of a membership that the scopes depend on. They must be computed again then. Null: none. */
  readonly changesAtMs: number | null;
  /** The only resources that it reaches: its own limits, and inherited ones. Undefined: no limits. */
  readonly limits: Limits | undefined;
}

/**
 * `policy`: the longest lifetime that the policy allows. `inherited`: the end of an earlier responsible credential. A text:
 * the id of the responsible credential.
 */
export type EndedBy = "policy" | "inherited" | `cred_${string}`;

export interface Policy {
  /** Null: every scope. */
  readonly allowedScopes: ReadonlySet<Scope> | null;
  readonly lifetimeMsMax: number | null;
  /** New credentials need an expiry. Existing ones stay valid. */
  readonly requireExpiry: boolean;
  /** The addresses from which programs may use the organization. */
  readonly addresses: Addresses;
  /** The addresses from which people may use it. */
  readonly peopleAddresses: Addresses;
  /** A new credential waits for an approval, unless its creator could approve it. */
  readonly approvalRequired: boolean;
  /** The requirements for people. */
  readonly people: PeoplePolicy;
}

/** Every scope. The system itself, for example the command line, may give all of them. */
export const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);
export const NO_SCOPES: ReadonlySet<Scope> = new Set();
/** The value of `created_by` and `responsible` for credentials that the command line created. */
export const CREATED_BY_SYSTEM = "system";
const DAY_MS = 24 * 60 * 60 * 1000;

/** Parses a policy. @throws Error for an invalid value, so that nothing is allowed */
export function parsePolicy(json: string): Policy {
  const policy = JSON.parse(json) as Record<string, unknown>;
  const { allowed_scopes: allowed = null, credential_lifetime_days_max: days = null } = policy;
  const { require_expiry = false, allowed_addresses: addresses = null, approval_required = false } = policy;
  const { allowed_addresses_for: boundTo = "programs" } = policy;
  const { second_factor_required: secondFactor = false, sign_in: signIn = "any" } = policy;
  if (allowed !== null && !Array.isArray(allowed))
    throw new Error("cannot read an organization's policy: allowed_scopes is not a list");
  if (days !== null && typeof days !== "number")
    throw new Error("cannot read an organization's policy: the lifetime is not a number");
  if (addresses !== null && !Array.isArray(addresses))
    throw new Error("cannot read an organization's policy: allowed_addresses is not a list");
  const ranges = addresses === null ? null : addresses.map(rangeOf);
  return {
    allowedScopes:
      allowed === null
        ? null
        : new Set(allowed.filter((scope): scope is Scope => typeof scope === "string" && isScope(scope))),
    lifetimeMsMax: days === null ? null : days * DAY_MS,
    // A value other than true or false must not weaken the policy.
    requireExpiry: require_expiry !== false,
    // An unknown value binds both.
    addresses: boundTo === "people" ? null : ranges,
    peopleAddresses: boundTo === "programs" ? null : ranges,
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
 * Returns the credential's own scopes, limited by the organization's policy and by the current permissions of the
 * responsible person or credential. `parent` is the responsible credential, if it is one.
 */
export function boundsOf(context: AnyContext, parent: ParentCredential | undefined, nowMs: number): Bounds {
  const policy = parsePolicy(context.policy);
  const scopes = new Set<Scope>();
  const withheld = new Map<Scope, Withheld>();
  const held = responsibleScopes(context, parent, nowMs);
  const limits = limitsOf(context, parent?.bounds.limits);
  for (const scope of parseScopes(context.scopes)) {
    const reason = withheldOf(scope, { context, policy, held, parent, limits, nowMs });
    if (reason === undefined) scopes.add(scope);
    else withheld.set(scope, reason);
  }
  const ends = [context.responsible_until, ...context.responsible_grants.map(({ endsAtMs }) => endsAtMs)];
  const changesAtMs = earliest(...ends.filter((end) => !hasPassed(end, nowMs)), parent?.bounds.changesAtMs ?? null);
  return { scopes, withheld, limits, ...expiryOf(context, policy, parent), changesAtMs };
}

interface Cut {
  readonly context: AnyContext;
  readonly policy: Policy;
  readonly held: ReturnType<typeof responsibleScopes>;
  readonly parent: ParentCredential | undefined;
  readonly limits: Limits | undefined;
  readonly nowMs: number;
}

function withheldOf(scope: Scope, { context, policy, held, parent, limits, nowMs }: Cut): Withheld | undefined {
  if (context.pending === 1) return { by: "approval" };
  if (policy.allowedScopes?.has(scope) === false) return { by: "policy" };
  if (held === undefined) return { by: "project" };
  if (held.has(scope)) return limits === undefined || hasAny(limits, scope) ? undefined : { by: "resources" };
  const { responsible } = context;
  if (isId("cred", responsible))
    return { by: "parent", id: responsible, because: parent?.bounds.withheld.get(scope) ?? { by: "scope" } };
  return lostBy(scope, context, nowMs);
}

/** Returns the reason why the responsible person does not have the scope. */
function lostBy(scope: Scope, context: AnyContext, nowMs: number): Withheld {
  const { responsible_role: role, responsible_grants: grants, lowered_from: from } = context;
  const there = rightsOfGrants(grants, nowMs);
  const projectRole = there === undefined ? null : nameOfRole({ role: there.role, custom_slug: there.customRole });
  const { responsible_until: untilMs } = context;
  if (untilMs !== null && hasPassed(untilMs, nowMs))
    return { by: "role", role: null, projectRole: null, endedAtMs: untilMs };
  const name = role === null ? null : nameOfRole({ role, custom_slug: context.role_slug });
  const reason = { by: "role", role: name, projectRole } as const;
  return role !== null && from !== null && ORG_ROLE_SCOPES[from].has(scope) ? { ...reason, from } : reason;
}

function expiryOf(
  context: AnyContext,
  { lifetimeMsMax }: Policy,
  parent: ParentCredential | undefined,
): Pick<Bounds, "expiresAtMs" | "expiresBy"> {
  const byPolicy = lifetimeMsMax === null ? null : context.created_at + lifetimeMsMax;
  const byParent = tableRuleOf(context).endsWithParent ? (parent?.bounds.expiresAtMs ?? null) : null;
  const { endsAtMs: inherited } = parseInherited(context.inherited);
  const expiresAtMs = earliest(context.expires_at, byPolicy, byParent, inherited);
  if (expiresAtMs === null || expiresAtMs === context.expires_at) return { expiresAtMs, expiresBy: null };
  if (expiresAtMs === byPolicy) return { expiresAtMs, expiresBy: "policy" };
  if (expiresAtMs === inherited) return { expiresAtMs, expiresBy: "inherited" };
  return { expiresAtMs, expiresBy: parent?.bounds.expiresBy ?? parent?.id ?? null };
}

/** The credential that is responsible for another one. */
export interface ParentCredential {
  readonly id: `cred_${string}`;
  readonly projectId: string | null;
  readonly bounds: Bounds;
}

/**
 * Returns the current scopes of the responsible person or credential, in the credential's project or organization.
 * Undefined: the project was deleted, or is hidden from them.
 */
export function responsibleScopes(
  context: AnyContext,
  parent: ParentCredential | undefined,
  nowMs: number,
): ReadonlySet<Scope> | undefined {
  if (context.project_id !== null && context.visibility === null) return undefined;
  const { responsible: id } = context;
  if (id === CREATED_BY_SYSTEM) return ALL_SCOPES;
  // A suspension takes no permissions away. So credentials are not reduced by it, and nobody gets a mail about that.
  const bound = { orgId: context.org_id, orgSlug: context.org_slug, organization: ACTIVE, id };
  if (isId("cred", id)) {
    if (parent === undefined) return NO_SCOPES;
    const { projectId, bounds } = parent;
    const principal = { ...bound, kind: "credential", clientId: "", projectId, scopes: bounds.scopes } as const;
    return heldScopes(principal, resourceOf(context));
  }
  const role = context.responsible_role;
  const { responsible_until: endsAtMs, responsible_grants: grants } = context;
  if (role === null || hasPassed(endsAtMs, nowMs)) return NO_SCOPES; // the person has left the organization
  const there = rightsOfGrants(grants, nowMs);
  const projects = new Map(there === undefined || context.project_id === null ? [] : [[context.project_id, there]]);
  const scopes = scopesOfRole({ role, custom_scopes: context.role_scopes });
  const person = { ...bound, kind: "person", email: "", role, scopes, endsAtMs, projects } as const;
  return heldScopes(person, resourceOf(context));
}
