import type { Scope } from "@mooring/contract";
import { Problem } from "#kernel/problem.ts";
import { FROZEN_SCOPES, PROJECT_ROLE_SCOPES } from "./permissions.ts";
import type { CredentialPrincipal, PersonPrincipal, Principal, Resource } from "./principal.ts";
import type { Reason, Verdict } from "./reason.ts";

/**
 * `hidden`: the principal may not know that the resource exists, so it is answered like an absent one.
 * `insufficient_scope`: it may know, but not do this. `archived`: it might, but the project takes no changes now.
 */
export type Decision = "allowed" | "insufficient_scope" | "archived" | "hidden";

/**
 * The one permission check, with its reason. Without a resource it answers whether the principal may hold the permission anywhere, which
 * refuses early; it never replaces the check with the resource.
 */
export function decide(principal: Principal, permission: Scope, resource?: Resource): Verdict {
  const scopes = resource === undefined ? scopesAnywhere(principal) : scopesFor(principal, resource);
  if (scopes === undefined) return { allowed: false, reason: { by: "hidden" } };
  if (!scopes.some((set) => set.has(permission)))
    return { allowed: false, reason: whyWithout(principal, permission, resource) };
  if (FROZEN_SCOPES.has(permission) && isArchived(principal, resource))
    return { allowed: false, reason: { by: "archived" } };
  return { allowed: true };
}

/** The same where the reason does not matter. */
export function authorize(principal: Principal, permission: Scope, resource?: Resource): Decision {
  const verdict = decide(principal, permission, resource);
  if (verdict.allowed) return "allowed";
  const { by } = verdict.reason;
  return by === "hidden" || by === "archived" ? by : "insufficient_scope";
}

function whyWithout(principal: Principal, permission: Scope, resource: Resource | undefined): Reason {
  if (principal.kind === "credential") return principal.withheld?.get(permission) ?? { by: "scope" };
  const { role, projects } = principal;
  const projectRole = resource?.project === undefined ? null : (projects.get(resource.project.id) ?? null);
  return { by: "own role", role, projectRole };
}

/** What `archived` is answered with. */
export function projectArchived(): Problem {
  return new Problem(
    "project_archived",
    "The project is archived: it can be read, but not changed. Unarchive it first.",
  );
}

/** Without a resource: all that the principal reaches. */
function isArchived(principal: Principal, resource: Resource | undefined): boolean {
  if (resource !== undefined) return typeof resource.project?.archived_at === "number";
  return principal.kind === "credential" && principal.projectArchived === true;
}

/** Which of a list's rows a permission reaches: the same rules as `authorize`, for use in a WHERE clause. */
export interface Reach {
  /** Resources of the organization that belong to no project. */
  readonly organization: boolean;
  /** Resources of every project that the whole organization sees. */
  readonly visibleProjects: boolean;
  /** Resources of these projects, whatever their visibility. */
  readonly projectIds: readonly string[];
}

export function reachOf(principal: Principal, permission: Scope): Reach {
  const held = principal.scopes.has(permission);
  if (principal.kind === "credential") {
    const { projectId } = principal;
    if (projectId !== null) return { organization: false, visibleProjects: false, projectIds: held ? [projectId] : [] };
    return { organization: held, visibleProjects: held, projectIds: [] };
  }
  const own = [...principal.projects].filter(([, role]) => held || PROJECT_ROLE_SCOPES[role].has(permission));
  return { organization: held, visibleProjects: held, projectIds: own.map(([id]) => id) };
}

/** All scopes that the principal holds for the resource; undefined: the resource is hidden from it. */
export function heldScopes(principal: Principal, resource: Resource): ReadonlySet<Scope> | undefined {
  const sets = scopesFor(principal, resource);
  return sets === undefined ? undefined : new Set(sets.flatMap((set) => [...set]));
}

/** The sets that together are the principal's scopes for the resource; undefined: the resource is hidden from it. */
function scopesFor(principal: Principal, resource: Resource): readonly ReadonlySet<Scope>[] | undefined {
  if (resource.orgId !== principal.orgId) return undefined;
  return principal.kind === "credential" ? ofCredential(principal, resource) : ofPerson(principal, resource);
}

function ofCredential(principal: CredentialPrincipal, resource: Resource): readonly ReadonlySet<Scope>[] | undefined {
  if (principal.projectId !== null)
    return resource.project?.id === principal.projectId ? [principal.scopes] : undefined;
  return resource.project?.visibility === "private" ? undefined : [principal.scopes];
}

/** Owners and admins are no exception: a private project is its members' alone. */
function ofPerson(principal: PersonPrincipal, resource: Resource): readonly ReadonlySet<Scope>[] | undefined {
  const { project } = resource;
  if (project === undefined) return [principal.scopes];
  const role = principal.projects.get(project.id);
  if (role === undefined) return project.visibility === "private" ? undefined : [principal.scopes];
  return [principal.scopes, PROJECT_ROLE_SCOPES[role]];
}

function scopesAnywhere(principal: Principal): readonly ReadonlySet<Scope>[] {
  if (principal.kind === "credential") return [principal.scopes];
  return [principal.scopes, ...[...principal.projects.values()].map((role) => PROJECT_ROLE_SCOPES[role])];
}
