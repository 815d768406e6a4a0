import { ORG_ROLES, PROJECT_ROLES, type AllowingAct, type RefusalRule, type Scope } from "@mooring/contract";
import type { Resource } from "#domain/projects/index.ts";
import { ACTIVE } from "#domain/suspension/index.ts";
import type { AllowingStep, RefusalFacts, RefusedResource } from "#kernel/refusal.ts";
import { decide, heldScopes, scopesOf, within } from "./authorize.ts";
import type { Limits } from "./limits.ts";
import { ORG_ROLE_SCOPES, PROJECT_ROLE_SCOPES, rightsOfRole } from "./permissions.ts";
import type { CredentialPrincipal, PersonPrincipal, Principal } from "./principal.ts";
import type { Reason, Withheld } from "./reason.ts";

/** The question of a permission check. */
export interface Asked {
  readonly principal: Principal;
  readonly permission: Scope;
  readonly resource: Resource | undefined;
}

interface Step {
  readonly rule: RefusalRule;
  readonly lostAt?: RefusalFacts["lostAt"];
  /** Absent: nothing in this organization would allow it. */
  readonly act?: AllowingStep;
  /** The question after the act. */
  readonly next?: Asked;
}

/** Each step ends one cause, and there are fewer causes than this. */
const STEPS_MAX = 8;

/**
 * Explains why `authorize` refuses, and what would allow it. Undefined: it allows. It runs only after a refusal, so that
 * allowed requests pay nothing for it.
 */
export function explain(principal: Principal, permission: Scope, resource?: Resource): RefusalFacts | undefined {
  let asked: Asked = { principal, permission, resource };
  const first = nextStep(asked);
  if (first === undefined) return undefined;
  const acts: AllowingStep[] = [];
  for (let step: Step | undefined = first; step !== undefined; step = nextStep(asked)) {
    if (step.act === undefined || step.next === undefined || acts.length >= STEPS_MAX) {
      acts.length = 0;
      break;
    }
    acts.push(step.act);
    asked = step.next;
  }
  const held = resource === undefined ? scopesOf(principal) : (heldScopes(principal, resource) ?? new Set());
  return {
    rule: first.rule,
    permission,
    held: [...held].toSorted(),
    wouldAllow: acts,
    ...(first.lostAt === undefined ? {} : { lostAt: first.lostAt }),
    ...(resource === undefined
      ? {}
      : shownResource(principal, resource, isHiddenFrom(principal, permission, resource))),
  };
}

/** Returns the facts about the resource. One of another organization is not mentioned. */
function shownResource(principal: Principal, resource: Resource, isHidden: boolean): { resource?: RefusedResource } {
  if (resource.orgId !== principal.orgId) return {};
  const { project, item } = resource;
  const projectId = project?.id ?? null;
  if (item !== undefined) return { resource: { kind: KINDS[item.kind], id: item.id, projectId, isHidden } };
  if (projectId === null) return { resource: { kind: "organization", id: resource.orgId, projectId, isHidden: false } };
  return { resource: { kind: "project", id: projectId, projectId, isHidden } };
}

const KINDS = { repositories: "repository", buckets: "bucket", webhooks: "webhook", services: "service" } as const;

function isHiddenFrom(principal: Principal, permission: Scope, resource: Resource): boolean {
  const verdict = decide(principal, permission, resource);
  return !verdict.allowed && verdict.reason.by === "hidden";
}

/** Returns the cause of the refusal and the act that ends it. Undefined: it is allowed. */
function nextStep(asked: Asked): Step | undefined {
  const { principal, permission, resource } = asked;
  const verdict = decide(principal, permission, resource);
  if (verdict.allowed) return undefined;
  const { reason } = verdict;
  if (reason.by === "hidden")
    return principal.kind === "person" ? hiddenFromPerson(asked, principal) : hiddenFromCredential(asked, principal);
  if (reason.by === "organization") return suspendedStep(asked);
  if (reason.by === "state") return stateStep(asked);
  if (reason.by === "own role") return roleStep(asked, principal as PersonPrincipal);
  return reason.by === "beyond resources" ? widenStep(asked, null) : withheldStep(asked, reason);
}

function suspendedStep(asked: Asked): Step {
  const { principal } = asked;
  return {
    rule: "organization_state",
    act: act("resume_organization", principal.orgId, null, ["operator"]),
    next: { ...asked, principal: { ...principal, organization: ACTIVE } },
  };
}

function act(name: AllowingAct, to: string | null, value: string | null, by: readonly string[]): AllowingStep {
  return { act: name, to, value, by };
}

/** Returns the roles of the organization that have a scope. */
function rolesWith(scope: Scope): string[] {
  return ORG_ROLES.filter((role) => ORG_ROLE_SCOPES[role].has(scope)).toReversed();
}

const MANAGERS = rolesWith("credentials:write");

function stateStep({ principal, permission, resource }: Asked): Step {
  const project = resource?.project;
  const own = principal.kind === "credential" ? principal.projectId : null;
  const change = act("change_project_state", project?.id ?? own, null, rolesWith("projects:write"));
  const next: Asked = {
    principal: principal.kind === "credential" ? { ...principal, projectState: "active" } : principal,
    permission,
    resource: resource && project ? { ...resource, project: { ...project, state: "active" } } : resource,
  };
  return { rule: "project_state", act: change, next };
}

/** A resource of another organization, or in the trash. Both look absent. */
function absentStep(asked: Asked): Step | undefined {
  const { principal, resource } = asked;
  if (resource === undefined || resource.orgId !== principal.orgId) return { rule: "absent" };
  const { project } = resource;
  if (project?.trashed !== true) return undefined;
  const restore = act("restore_project", project.id, null, rolesWith("projects:write"));
  return {
    rule: "absent",
    act: restore,
    next: { ...asked, resource: { ...resource, project: { ...project, trashed: false } } },
  };
}

function hiddenFromPerson(asked: Asked, principal: PersonPrincipal): Step {
  const absent = absentStep(asked);
  if (absent !== undefined) return absent;
  const project = asked.resource?.project;
  const isIn = project !== undefined && principal.projects.has(project.id);
  const isOutside = principal.role === "guest" || project?.visibility === "private";
  if (isIn || !isOutside) return widenStep(asked, "hidden");
  if (project === undefined) return raiseRole(asked, principal);
  const step = addProjectRole(asked, principal);
  return { ...step, rule: project.visibility === "private" ? "private_project" : "role" };
}

function hiddenFromCredential(asked: Asked, principal: CredentialPrincipal): Step {
  const absent = absentStep(asked);
  if (absent !== undefined) return absent;
  const project = asked.resource?.project;
  const isElsewhere = principal.projectId !== null && principal.projectId !== project?.id;
  if (!isElsewhere && (principal.projectId !== null || project?.visibility !== "private"))
    return widenStep(asked, "hidden");
  const { projectState: _, ...rest } = principal;
  const moved = (projectId: string | null): Asked => ({ ...asked, principal: { ...rest, projectId } });
  if (project === undefined) {
    const use = act("use_organization_credential", principal.orgId, null, MANAGERS);
    return { rule: "other_project", act: use, next: moved(null) };
  }
  const use = act("use_project_credential", project.id, null, ["maintainer", ...MANAGERS]);
  return { rule: isElsewhere ? "other_project" : "private_project", act: use, next: moved(project.id) };
}

/** Adds the resource to the limits of a credential, or removes them for an act on more than single resources. */
function widenStep(asked: Asked, why: "hidden" | null): Step {
  const { principal, resource } = asked;
  const { limits } = principal;
  const item = why === "hidden" ? resource?.item : undefined;
  if (limits === undefined || (why === "hidden" && item === undefined)) return { rule: "absent" };
  const widened = item === undefined ? undefined : withItem(limits, item.kind, item.id);
  const value = item === undefined ? null : `${KINDS[item.kind]} ${item.id}`;
  const next = { ...asked, principal: { ...principal, limits: widened } };
  return { rule: "key_bounds", act: act("widen_bounds", tokenOf(principal), value, MANAGERS), next };
}

function withItem(limits: Limits, kind: keyof typeof KINDS, id: string): Limits {
  if (kind === "buckets") return { ...limits, buckets: new Map([...limits.buckets, [id, [""]]]) };
  return { ...limits, [kind]: new Set([...limits[kind], id]) };
}

/** Returns the id of the credential, or of the token that a person uses. */
function tokenOf(principal: Principal): string {
  return principal.kind === "person" ? (principal.via?.id ?? principal.id) : principal.id;
}

function roleStep(asked: Asked, principal: PersonPrincipal): Step {
  const { permission, resource } = asked;
  const inProjects = PROJECT_ROLES.some((role) => PROJECT_ROLE_SCOPES[role].has(permission));
  return resource?.project !== undefined && inProjects
    ? { ...addProjectRole(asked, principal), rule: "role" }
    : raiseRole(asked, principal);
}

function raiseRole(asked: Asked, principal: PersonPrincipal): Step {
  const { permission } = asked;
  const weakestFirst = ORG_ROLES.filter((one) => one !== "guest").toReversed();
  const role = weakestFirst.find((one) => ORG_ROLE_SCOPES[one].has(permission));
  if (role === undefined) return { rule: "role", lostAt: "role" };
  const own = ORG_ROLE_SCOPES[role];
  const scopes = principal.limit === undefined ? own : within(own, principal.limit);
  const { customRole: _, ...rest } = principal;
  return {
    rule: "role",
    lostAt: "role",
    act: act("raise_role", principal.id, role, rolesWith("members:write")),
    next: { ...asked, principal: { ...rest, role, scopes } },
  };
}

function addProjectRole(asked: Asked, principal: PersonPrincipal): Step {
  const { permission, resource } = asked;
  const weakestFirst = [...PROJECT_ROLES].toReversed();
  const role = weakestFirst.find((one) => PROJECT_ROLE_SCOPES[one].has(permission)) ?? weakestFirst[0];
  const project = resource?.project;
  if (project === undefined || role === undefined) return { rule: "role", lostAt: "role" };
  const projects = new Map([...principal.projects, [project.id, rightsOfRole(role)]]);
  return {
    rule: "role",
    lostAt: "role",
    act: act("add_project_role", principal.id, role, ["maintainer", ...rolesWith("projects:write")]),
    next: { ...asked, principal: { ...principal, projects } },
  };
}

type Lost = Exclude<Reason, { readonly by: "hidden" | "organization" | "state" | "own role" | "beyond resources" }>;

/** A scope that the credential was not given, or that does not count now. */
function withheldStep(asked: Asked, reason: Lost): Step {
  const { principal, permission } = asked;
  const id = tokenOf(principal);
  const next = granted(asked);
  const how = (rule: RefusalRule, step: AllowingStep, lostAt?: RefusalFacts["lostAt"]): Step => ({
    rule,
    act: step,
    next,
    ...(lostAt === undefined ? {} : { lostAt }),
  });
  switch (reason.by) {
    case "scope":
      return how(
        "scope",
        act("grant_scope", id, permission, MANAGERS),
        principal.kind === "person" ? "token" : "credential",
      );
    case "token":
      return how("scope", act("request_token", id, permission, ["caller"]), "token");
    case "approval":
      return how("approval", act("approve", id, permission, ["owner", "admin"]));
    case "policy":
      return how("policy", act("allow_in_policy", principal.orgId, permission, rolesWith("org:write")));
    case "resources":
      return {
        ...how("key_bounds", act("widen_bounds", id, null, MANAGERS), "credential"),
        next: { ...next, principal: { ...next.principal, limits: undefined } },
      };
    case "project":
    case "role":
      return how("role", act("adopt_credential", id, permission, MANAGERS), "maker");
    case "parent":
      return how(ruleOfParent(reason), act("adopt_credential", id, permission, MANAGERS), "maker");
    default:
      throw new Error(`no explanation for ${String(reason satisfies never)}`);
  }
}

function ruleOfParent({ because }: Extract<Withheld, { by: "parent" }>): RefusalRule {
  if (because.by === "ended") return because.how.startsWith("expired") ? "expired" : "revoked";
  if (because.by === "approval" || because.by === "policy") return because.by;
  if (because.by === "parent") return ruleOfParent(because);
  return because.by === "role" || because.by === "project" ? "role" : "scope";
}

/** Returns the question after the token or credential has got the scope. */
function granted({ principal, permission, resource }: Asked): Asked {
  const withheld = new Map([...(principal.withheld ?? [])].filter(([scope]) => scope !== permission));
  if (principal.kind === "credential")
    return {
      principal: { ...principal, withheld, scopes: new Set([...principal.scopes, permission]) },
      permission,
      resource,
    };
  const limit = new Set([...(principal.limit ?? []), permission]);
  const own = scopesOfOwnRole(principal);
  const gained = own?.has(permission) === true ? [permission] : [];
  return {
    principal: { ...principal, withheld, limit, scopes: new Set([...principal.scopes, ...gained]) },
    permission,
    resource,
  };
}

/** The scopes of a custom role are not known here, so the role may still be too low afterwards. */
function scopesOfOwnRole({ role }: PersonPrincipal): ReadonlySet<Scope> | undefined {
  return role === "custom" ? undefined : ORG_ROLE_SCOPES[role];
}
