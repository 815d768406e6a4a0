import {
  ORG_ROLE_SCOPES as ORG_TABLE,
  PROJECT_ROLE_SCOPES as PROJECT_TABLE,
  type OrgRole,
  type ProjectRole,
  type Scope,
} from "@mooring/contract";
import type { ProjectRights } from "./principal.ts";

/** The contract's tables of roles, as sets. */
export const ORG_ROLE_SCOPES = setsOf<OrgRole>(ORG_TABLE);
export const PROJECT_ROLE_SCOPES = setsOf<ProjectRole>(PROJECT_TABLE);

/** Returns the rights of one role in a project. */
export function rightsOfRole(role: ProjectRole, endsAtMs: number | null = null): ProjectRights {
  return { role, scopes: PROJECT_ROLE_SCOPES[role], endsAtMs };
}

function setsOf<R extends string>(
  table: Readonly<Record<R, readonly Scope[]>>,
): Readonly<Record<R, ReadonlySet<Scope>>> {
  const sets = Object.entries<readonly Scope[]>(table).map(([role, scopes]) => [role, new Set(scopes)]);
  return Object.fromEntries(sets) as Record<R, ReadonlySet<Scope>>;
}
