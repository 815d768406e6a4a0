import { SCOPES, type CustomRoleKind, type OrgRole, type ProjectRole, type Scope } from "./scopes.ts";

/**
 * The one permission table: the scopes of each role of an organization. Actions that only owners may do are separate
 * rules.
 */
export const ORG_ROLE_SCOPES: Readonly<Record<OrgRole, readonly Scope[]>> = {
  owner: SCOPES,
  admin: SCOPES,
  developer: allBut("org:write", "members:write", "queries:manage", "audit:read"),
  viewer: readingScopes(),
  // A guest has the scopes of their roles in projects.
  guest: [],
};

/** The scopes that each role of a project adds, within that project. */
export const PROJECT_ROLE_SCOPES: Readonly<Record<ProjectRole, readonly Scope[]>> = {
  maintainer: allBut("org:read", "org:write", "members:write", "queries:manage", "audit:read"),
  writer: allBut(
    "org:read",
    "org:write",
    "members:write",
    "queries:manage",
    "audit:read",
    "projects:write",
    "apps:write",
    "credentials:read",
    "credentials:write",
  ),
  reader: readingScopes().filter((scope) => scope !== "org:read"),
};

/** The scopes that a custom role of a kind may have. */
export const CUSTOM_ROLE_SCOPES: Readonly<Record<CustomRoleKind, readonly Scope[]>> = {
  organization: SCOPES,
  project: PROJECT_ROLE_SCOPES.maintainer,
};

function allBut(...excluded: readonly Scope[]): readonly Scope[] {
  return SCOPES.filter((scope) => !excluded.includes(scope));
}

/** All reading scopes except those that help an attacker: the audit log and the list of credentials. */
function readingScopes(): readonly Scope[] {
  const kept = ["audit:read", "credentials:read"];
  return SCOPES.filter((scope) => scope === "registry:pull" || (scope.endsWith(":read") && !kept.includes(scope)));
}
