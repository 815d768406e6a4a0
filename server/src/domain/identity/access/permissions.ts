import {
  ORG_ROLE_SCOPES as ORG_TABLE,
  PROJECT_ROLE_SCOPES as PROJECT_TABLE,
  isScope,
  type MemberRole,
  type OrgRole,
  type ProjectMemberRole,
  type ProjectRole,
  type Scope,
} from "@mooring/contract";
import { hasPassed } from "#kernel/time.ts";
import type { ProjectRights } from "./principal.ts";

/** The contract's tables of roles, as sets. */
export const ORG_ROLE_SCOPES = setsOf<OrgRole>(ORG_TABLE);
export const PROJECT_ROLE_SCOPES = setsOf<ProjectRole>(PROJECT_TABLE);

/** A role of a membership. The custom columns are null unless the role is `custom`. */
export interface RoleOf<Role extends string> {
  readonly role: Role;
  readonly custom_slug: string | null;
  readonly custom_scopes: string | null;
}

/** Returns the scopes of a member's role. A custom role that was not read has none. */
export function scopesOfRole({ role, custom_scopes }: Omit<RoleOf<MemberRole>, "custom_slug">): ReadonlySet<Scope> {
  return role === "custom" ? scopesIn(custom_scopes) : ORG_ROLE_SCOPES[role];
}

/** Returns the scopes of a role in a project. No custom role gives more than a maintainer has. */
export function scopesOfProjectRole(grant: Omit<RoleOf<ProjectMemberRole>, "custom_slug">): ReadonlySet<Scope> {
  const { role, custom_scopes } = grant;
  if (role !== "custom") return PROJECT_ROLE_SCOPES[role];
  return new Set([...scopesIn(custom_scopes)].filter((scope) => PROJECT_ROLE_SCOPES.maintainer.has(scope)));
}

/** Returns the name of a role for texts. */
export function nameOfRole({ role, custom_slug }: Pick<RoleOf<string>, "role" | "custom_slug">): string {
  return role === "custom" ? (custom_slug ?? role) : role;
}

function scopesIn(text: string | null): ReadonlySet<Scope> {
  return new Set((text ?? "").split(" ").filter(isScope));
}

/** A role in a project, by oneself or by a group. */
export interface ProjectGrant extends RoleOf<ProjectMemberRole> {
  /** Null: no end. */
  readonly endsAtMs: number | null;
}

/** Returns the rights of one role in a project. */
export function rightsOfRole(role: ProjectRole, endsAtMs: number | null = null): ProjectRights {
  return { role, customRole: null, scopes: PROJECT_ROLE_SCOPES[role], endsAtMs };
}

function rightsOfGrant(grant: ProjectGrant): ProjectRights {
  const { role, custom_slug: customRole, endsAtMs } = grant;
  return { role, customRole, scopes: scopesOfProjectRole(grant), endsAtMs };
}

/**
 * Returns the rights that several roles in a project give together, without ended ones. Undefined: none. The role and its
 * end are those of the highest role.
 */
export function rightsOfGrants(grants: readonly ProjectGrant[], nowMs: number): ProjectRights | undefined {
  const [highest, ...others] = grants
    .filter(({ endsAtMs }) => !hasPassed(endsAtMs, nowMs))
    .map(rightsOfGrant)
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
