import { organizationAllows, stateAllows, type ProjectState, type Scope } from "@mooring/contract";
import { statesWithout, type Reach, type Resource } from "#domain/projects/index.ts";
import { ACTIVE } from "#domain/suspension/index.ts";
import { hasAny, reachedIds, withinLimits, type Limits } from "./limits.ts";
import { nameOfRole } from "./permissions.ts";
import type { CredentialPrincipal, PersonPrincipal, Principal, ProjectRights } from "./principal.ts";
import type { Reason, Verdict } from "./reason.ts";

/**
 * The result of a check. `hidden`: the principal may not know that the resource exists, so the answer is the same as
 * for an absent one. `organization`: the organization's state forbids it to everybody. `insufficient_scope`: the principal
 * may see it, but lacks the permission. `state`: the project's state forbids it to everybody.
 */
export type Decision = "allowed" | "organization" | "insufficient_scope" | "state" | "hidden";

/**
 * The only permission check. Returns the decision and its reason. Without a resource, it checks whether the principal
 * has the permission for any resource. This early check never replaces the check with the resource.
 */
export function decide(principal: Principal, permission: Scope, resource?: Resource): Verdict {
  const { orgId, organization } = principal;
  if (resource !== undefined && resource.orgId !== orgId) return { allowed: false, reason: { by: "hidden" } };
  if (!organizationAllows(organization.state, permission))
    return { allowed: false, reason: { by: "organization", organization } };
  const scopes = resource === undefined ? scopesAnywhere(principal) : scopesFor(principal, resource);
  if (scopes === undefined)
    return oversees(principal, permission, resource) ? { allowed: true } : { allowed: false, reason: { by: "hidden" } };
  const outside = principal.limits === undefined ? undefined : beyond(principal.limits, permission, resource);
  if (outside !== undefined && (outside.by === "hidden" || scopes.some((set) => set.has(permission))))
    return { allowed: false, reason: outside };
  if (!scopes.some((set) => set.has(permission)))
    return { allowed: false, reason: whyWithout(principal, permission, resource) };
  const state = stateOf(principal, resource);
  return stateAllows(state, permission) ? { allowed: true } : { allowed: false, reason: { by: "state", state } };
}

/**
 * Returns the principal for an operation that only reads or only takes access away, such as a revocation. A state of the organization that allows such operations does not stop it.
 */
export function forHarmless<P extends Principal>(principal: P): P {
  const { state } = principal.organization;
  if (!organizationAllows(state, "end_access")) return principal;
  return { ...principal, organization: ACTIVE };
}

/** What owners see of every project without being its members. They see its content only after they enter it. */
const OVERSIGHT: ReadonlySet<Scope> = new Set<Scope>(["projects:read", "credentials:read"]);

/** Whether an owner has the permission for a private project, of which they are not a member. */
export function oversees(principal: Principal, permission: Scope, resource: Resource | undefined): boolean {
  return OVERSIGHT.has(permission) && isOverseer(principal, permission, resource);
}

/** Whether an owner may revoke a credential of a private project, of which they are not a member. */
export function mayRevokeIn(principal: Principal, resource: Resource): boolean {
  return isOverseer(principal, "credentials:write", resource);
}

function isOverseer(principal: Principal, permission: Scope, resource: Resource | undefined): boolean {
  if (principal.kind !== "person" || principal.role !== "owner" || !principal.scopes.has(permission)) return false;
  if (principal.limits !== undefined || !organizationAllows(principal.organization.state, permission)) return false;
  const project = resource?.project;
  return project !== undefined && project.trashed !== true && resource?.orgId === principal.orgId;
}

/** Makes the same check as `decide`, but returns no reason. */
export function authorize(principal: Principal, permission: Scope, resource?: Resource): Decision {
  const verdict = decide(principal, permission, resource);
  if (verdict.allowed) return "allowed";
  const { by } = verdict.reason;
  return by === "hidden" || by === "state" || by === "organization" ? by : "insufficient_scope";
}

/**
 * Returns why the limits of a credential forbid a permission. A resource without an item is refused, so that an
 * operation that names none is not open to limited credentials.
 */
function beyond(limits: Limits, permission: Scope, resource: Resource | undefined): Reason | undefined {
  if (resource === undefined) return hasAny(limits, permission) ? undefined : { by: "beyond resources" };
  const isWithin = withinLimits(limits, permission, resource.item);
  if (isWithin === true) return undefined;
  return isWithin === false ? { by: "hidden" } : { by: "beyond resources" };
}

function whyWithout(principal: Principal, permission: Scope, resource: Resource | undefined): Reason {
  if (principal.kind === "credential") return principal.withheld?.get(permission) ?? { by: "scope" };
  const { projects, limit, withheld } = principal;
  if (limit?.has(permission) === false) return withheld?.get(permission) ?? { by: "scope" };
  const there = resource?.project === undefined ? undefined : projects.get(resource.project.id);
  const projectRole = there === undefined ? null : nameOf(there);
  return { by: "own role", role: nameOf(principal), projectRole };
}

function nameOf({ role, customRole = null }: { readonly role: string; readonly customRole?: string | null }): string {
  return nameOfRole({ role, custom_slug: customRole });
}

/** Returns the state of the project. Without a resource: of the only project that the principal reaches. */
function stateOf(principal: Principal, resource: Resource | undefined): ProjectState {
  const own = principal.kind === "credential" ? principal.projectState : undefined;
  return (resource === undefined ? own : resource.project?.state) ?? "active";
}

/** Whether the principal's permissions allow it. Ignores the states of the project and the organization. */
export function holds(principal: Principal, permission: Scope, resource: Resource): boolean {
  const { limits } = principal;
  if (limits !== undefined && beyond(limits, permission, resource) !== undefined) return false;
  return scopesFor(principal, resource)?.some((set) => set.has(permission)) ?? false;
}

/** Returns which rows of a list a permission reaches, by the rules of `authorize`. */
export function reachOf(principal: Principal, permission: Scope): Reach {
  const { limits } = principal;
  const projects = projectsReached(principal, permission);
  return limits === undefined ? projects : { ...projects, ids: reachedIds(limits, permission) };
}

function projectsReached(principal: Principal, permission: Scope): Reach {
  const exceptStates = statesWithout(permission);
  if (!organizationAllows(principal.organization.state, permission))
    return { organization: false, visibleProjects: false, projectIds: [], exceptStates };
  const held = principal.scopes.has(permission);
  if (principal.kind === "credential") {
    const { projectId } = principal;
    if (projectId !== null)
      return { organization: false, visibleProjects: false, projectIds: held ? [projectId] : [], exceptStates };
    return { organization: held, visibleProjects: held, projectIds: [], exceptStates };
  }
  const own = [...principal.projects].filter(([, rights]) => held || scopesThere(principal, rights).has(permission));
  const reach = { organization: held, visibleProjects: held, projectIds: own.map(([id]) => id), exceptStates };
  const seesAll = held && principal.role === "owner" && principal.limits === undefined && OVERSIGHT.has(permission);
  return seesAll ? { ...reach, privateProjects: true } : reach;
}

/** Returns all scopes that the principal has for the resource. Undefined: the resource is hidden from it. */
export function heldScopes(principal: Principal, resource: Resource): ReadonlySet<Scope> | undefined {
  const sets = scopesFor(principal, resource);
  return sets === undefined ? undefined : new Set(sets.flatMap((set) => [...set]));
}

/**
 * Returns the sets whose union is the principal's scopes for the resource. Undefined: the resource is hidden from it.
 */
function scopesFor(principal: Principal, resource: Resource): readonly ReadonlySet<Scope>[] | undefined {
  if (resource.orgId !== principal.orgId || resource.project?.trashed === true) return undefined;
  return principal.kind === "credential" ? ofCredential(principal, resource) : ofPerson(principal, resource);
}

function ofCredential(principal: CredentialPrincipal, resource: Resource): readonly ReadonlySet<Scope>[] | undefined {
  if (principal.projectId !== null)
    return resource.project?.id === principal.projectId ? [principal.scopes] : undefined;
  return resource.project?.visibility === "private" ? undefined : [principal.scopes];
}

/**
 * Returns the scope sets of a person. Owners and admins, too, reach a private project only as its members. For a guest,
 * only the projects of which they are a member exist.
 */
function ofPerson(principal: PersonPrincipal, resource: Resource): readonly ReadonlySet<Scope>[] | undefined {
  const { project } = resource;
  const isGuest = principal.role === "guest";
  if (project === undefined) return isGuest ? undefined : [principal.scopes];
  const rights = principal.projects.get(project.id);
  if (rights === undefined) return isGuest || project.visibility === "private" ? undefined : [principal.scopes];
  return [principal.scopes, scopesThere(principal, rights)];
}

/** Returns the scopes that a person's rights in a project give. The token that they use limits them. */
export function scopesThere({ limit }: PersonPrincipal, { scopes }: ProjectRights): ReadonlySet<Scope> {
  return limit === undefined ? scopes : within(scopes, limit);
}

/** Returns the scopes that are in both sets. */
export function within(scopes: ReadonlySet<Scope>, limit: ReadonlySet<Scope>): ReadonlySet<Scope> {
  return new Set([...scopes].filter((scope) => limit.has(scope)));
}

function scopesAnywhere(principal: Principal): readonly ReadonlySet<Scope>[] {
  if (principal.kind === "credential") return [principal.scopes];
  return [principal.scopes, ...[...principal.projects.values()].map((rights) => scopesThere(principal, rights))];
}

/** Returns all scopes that the principal has for any resource. */
export function scopesOf(principal: Principal): ReadonlySet<Scope> {
  return new Set(scopesAnywhere(principal).flatMap((set) => [...set]));
}
