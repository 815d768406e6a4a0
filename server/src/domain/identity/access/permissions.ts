import { SCOPES, type OrgRole, type ProjectRole, type Scope } from "@mooring/contract";

/** The one permission table: what each role of an organization stands for. Acts of owners only are rules of their own. */
export const ORG_ROLE_SCOPES: Readonly<Record<OrgRole, ReadonlySet<Scope>>> = {
  owner: new Set(SCOPES),
  admin: new Set(SCOPES),
  developer: allBut("org:write", "members:write", "audit:read"),
  viewer: readingScopes(),
};

/** What each role of a project stands for, within that project. */
export const PROJECT_ROLE_SCOPES: Readonly<Record<ProjectRole, ReadonlySet<Scope>>> = {
  maintainer: allBut("org:read", "org:write", "members:write", "audit:read"),
  writer: allBut(
    "org:read",
    "org:write",
    "members:write",
    "audit:read",
    "projects:write",
    "apps:write",
    "credentials:read",
    "credentials:write",
  ),
  reader: new Set([...readingScopes()].filter((scope) => scope !== "org:read")),
};

function allBut(...excluded: readonly Scope[]): ReadonlySet<Scope> {
  return new Set(SCOPES.filter((scope) => !excluded.includes(scope)));
}

/** Reading everything except what helps an attacker: who did what, and which credentials there are. */
function readingScopes(): ReadonlySet<Scope> {
  const reading = SCOPES.filter(
    (scope) => scope.endsWith(":read") && scope !== "audit:read" && scope !== "credentials:read",
  );
  return new Set([...reading, "registry:pull"]);
}
