import { addressRangeText, parseAddress, type Scope } from "@mooring/contract";
import { auditActorOf, heldScopes, namedLimits, reachOf, type Principal, type Reach } from "#domain/identity/index.ts";
import { getOrganization, listProjects, type Project } from "#domain/organizations/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { OrganizationOperation } from "../deps.ts";
import { ownProjectBody, resourcesBody } from "../model.ts";
import { settled } from "../resources.ts";

const PROJECTS_MAX = 1000;

export const getMe: OrganizationOperation<"getMe"> = async (deps, _input, { principal, ip }) => {
  const { id, slug, name } = await getOrganization(deps, principal.orgId);
  const projects = await listProjects(deps, principal.orgId, reachOfMe(principal), { limit: PROJECTS_MAX });
  const roles = principal.kind === "person" ? principal.projects : new Map<string, never>();
  return {
    kind: principal.kind,
    id: principal.id,
    client_id: principal.kind === "credential" ? principal.clientId : null,
    email: principal.kind === "person" ? principal.email : null,
    role: principal.kind === "person" ? principal.role : null,
    custom_role: principal.kind === "person" ? (principal.customRole ?? null) : null,
    organization: { id, slug, name },
    project_id: principal.kind === "credential" ? principal.projectId : null,
    scopes: [...principal.scopes],
    resources: resourcesBody(await namedLimits(deps.metadata.read, principal.limits)),
    address: peerAddress(ip),
    projects: projects.items.map((project) =>
      ownProjectBody(project, roles.get(project.id), scopesThere(principal, project)),
    ),
    projects_next_cursor: projects.nextCursor,
  };
};

export const deleteMe: OrganizationOperation<"deleteMe"> = async (deps, _input, { principal, ip, requestId }) => {
  if (principal.kind !== "person")
    throw new Problem("forbidden", "Only a person has an account. To end a credential, revoke it.");
  const { id: userId } = principal;
  await deps.leaving.deletePerson({ userId, actor: auditActorOf(principal), origin: { ip, requestId } });
  await settled(deps);
};

function scopesThere(principal: Principal, project: Project): Iterable<Scope> {
  return heldScopes(principal, { orgId: project.org_id, project }) ?? [];
}

/** Returns an address in the form of address ranges. Text that is not an address (a local socket) stays unchanged. */
function peerAddress(ip: string): string {
  const address = parseAddress(ip);
  return address === undefined ? ip : addressRangeText(address);
}

/** A credential of one project is shown that project, even without scopes for it. */
function reachOfMe(principal: Principal): Reach {
  if (principal.kind === "person" || principal.projectId === null) {
    // Owners see the names of all private projects, but this list has those that they are in.
    const { privateProjects: _others, ...reach } = reachOf(principal, "projects:read");
    return reach;
  }
  return { organization: false, visibleProjects: false, projectIds: [principal.projectId], exceptStates: [] };
}
