import {
  ORG_ROLE_SCOPES as ORG_TABLE,
  PROJECT_ROLE_SCOPES as PROJECT_TABLE,
  type OrgRole,
  type ProjectRole,
  type Scope,
} from "@mooring/contract";
import { hasPassed } from "#kernel/time.ts";
import type { ProjectRights } from "./principal.ts";

/** The contract's tables of roles, as sets. */
export const ORG_ROLE_SCOPES = setsOf<OrgRole>(ORG_TABLE);
export const PROJECT_ROLE_SCOPES = setsOf<ProjectRole>(PROJECT_TABLE);

/** A role in a project, by oneself or by a group. */
export interface ProjectGrant {
  readonly role: ProjectRole;
  /** Null: no end. */
  readonly endsAtMs: number | null;
}

/** Returns the rights of one role in a project. */
export function rightsOfRole(role: ProjectRole, endsAtMs: number | null = null): ProjectRights {
  return { role, scopes: PROJECT_ROLE_SCOPES[role], endsAtMs };
}

/**
 * Returns the rights that several roles in a project give together, without ended ones. Undefined: none. The role and its
 * end are those of the highest role.
 */
export function rightsOfGrants(grants: readonly ProjectGrant[], nowMs: number): ProjectRights | undefined {
  const [highest, ...others] = grants
    .filter(({ endsAtMs }) => !hasPassed(endsAtMs, nowMs))
    .map(({ role, endsAtMs }) => rightsOfRole(role, endsAtMs))
    .toSorted((a, b) => b.scopes.size - a.scopes.size || (b.endsAtMs ?? Infinity) - (a.endsAtMs ?? Infinity));
  if (highest === undefined || others.every(({ scopes }) => isWithin(scopes, highest.scopes))) return highest;
  return { ...highest, scopes: new Set([highest, ...others].flatMap(({ scopes }) => [...scopes])) };
}

function isWithin(scopes: ReadonlySet<Scope>, others: ReadonlySet<Scope>): boolean {
  return [...scopes].every((scope) => others.has(scope));
}

function setsOf<R extends string>(
  table: Readonly<Record<R, readonly Scope[]>>,
): Readonly<Record<R, ReadonlySet<Scope>>> {
  const sets = Object.entries<readonly Scope[]>(table).map(([role, scopes]) => [role, new Set(scopes)]);
  return Object.fromEntries(sets) as Record<R, ReadonlySet<Scope>>;
}
