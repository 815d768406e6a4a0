import type { MemberRole, ProjectMemberRole, ProjectRole, Scope } from "@mooring/contract";
import { resourceKindOf } from "@mooring/contract/resources.ts";

/** The facts that limit the scopes of a new or changed credential. */
export interface Grant {
  readonly orgRole: MemberRole | null;
  /** The scopes of the person's role in the organization. */
  readonly orgScopes: readonly Scope[];
  /** The project of the credential; null: the whole organization. */
  readonly project: {
    readonly name: string;
    readonly role: ProjectMemberRole | null;
    /** With a custom role: the scopes of the person there. */
    readonly scopes?: readonly Scope[];
  } | null;
  readonly projectRoleScopes: Readonly<Record<ProjectRole, readonly Scope[]>>;
  /** The scopes that the organization's policy allows for credentials; null: every scope. */
  readonly policyScopes: readonly Scope[] | null;
  /** Whether it is limited to resources. */
  readonly isLimited?: boolean;
}

/** Scopes on the organization itself. A project's credential cannot have them. */
const OF_ORGANIZATION: readonly Scope[] = ["org:read", "org:write", "members:write", "queries:manage", "audit:read"];

/** Returns why the person can't give a scope. Null: they can. */
export function whyNot(scope: Scope, grant: Grant): string | null {
  const { orgRole, orgScopes, project, policyScopes, isLimited = false } = grant;
  if (isLimited && resourceKindOf(scope) === undefined) return "it acts on more than certain resources";
  if (policyScopes !== null && !policyScopes.includes(scope))
    return "the organization's policy does not allow it for credentials";
  if (project !== null && OF_ORGANIZATION.includes(scope))
    return "a project's credential cannot have permissions on the organization";
  if (orgScopes.includes(scope)) return null;
  const role = project?.role ?? null;
  const there = role === null || role === "custom" ? (project?.scopes ?? []) : grant.projectRoleScopes[role];
  if (there.includes(scope)) return null;
  if (project !== null && role !== null) return `your roles (${orgRole ?? "none"}, ${role} of ${project.name}) lack it`;
  return `your role ${orgRole === null ? "" : `${orgRole} `}lacks it`;
}

export interface Asked {
  readonly given: readonly Scope[];
  readonly left: readonly { readonly scope: Scope; readonly why: string }[];
}

/** Returns the requested permissions without those that cannot be given. */
export function cut(requested: readonly Scope[], grant: Grant): Asked {
  const reasons = requested.map((scope) => ({ scope, why: whyNot(scope, grant) }));
  return {
    given: reasons.flatMap(({ scope, why }) => (why === null ? [scope] : [])),
    left: reasons.flatMap(({ scope, why }) => (why === null ? [] : [{ scope, why }])),
  };
}

/** The groups of the boxes, by service. */
const SERVICES: readonly (readonly [prefix: string, title: string])[] = [
  ["telemetry", "Telemetry"],
  ["queries", "Telemetry"],
  ["files", "Files"],
  ["s3", "Buckets"],
  ["registry", "Images"],
  ["webhooks", "Webhooks"],
  ["projects", "Projects"],
  ["apps", "Apps"],
  ["credentials", "Credentials"],
  ["org", "Organization"],
  ["members", "Organization"],
  ["audit", "Organization"],
];

export interface ScopeGroup {
  readonly title: string;
  readonly scopes: readonly Scope[];
}

/** Groups scopes by service. */
export function groupsOf(scopes: readonly Scope[]): readonly ScopeGroup[] {
  const titles = [...new Set(SERVICES.map(([, title]) => title))];
  return titles
    .map((title) => {
      const prefixes = SERVICES.filter((entry) => entry[1] === title).map(([prefix]) => `${prefix}:`);
      return { title, scopes: scopes.filter((scope) => prefixes.some((prefix) => scope.startsWith(prefix))) };
    })
    .filter((group) => group.scopes.length > 0);
}
