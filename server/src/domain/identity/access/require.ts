import type { Scope } from "@mooring/contract";
import { stateRefusal, type Resource } from "#domain/projects/index.ts";
import { suspensionRefusal } from "#domain/suspension/index.ts";
import { Problem } from "#kernel/problem.ts";
import { decide } from "./authorize.ts";
import type { Principal } from "./principal.ts";
import { explain, type Asked } from "./explain.ts";
import { lacking, type Reason } from "./reason.ts";

/** Checks early, before the resource is known. @throws Problem `insufficient_scope`, `project_archived` */
export function requireAnywhere(principal: Principal, permission: Scope): void {
  const verdict = decide(principal, permission);
  if (!verdict.allowed) throw refusalOf({ principal, permission, resource: undefined }, verdict.reason);
}

/** Returns the same problem for absent and hidden resources. */
export function absent(): Problem {
  return new Problem("not_found", "This resource does not exist, or you may not see it.");
}

/** Returns the problem for a refused permission. This is the only place that makes it. */
function refusalOf(asked: Asked, reason: Reason): Problem {
  return explained(asked, problemOf(asked.permission, reason));
}

function problemOf(permission: Scope, reason: Reason): Problem {
  if (reason.by === "hidden") return absent();
  if (reason.by === "organization") return suspensionRefusal(reason.organization, { scope: permission });
  return reason.by === "state" ? stateRefusal(reason.state) : lacking(permission, reason);
}

/** Adds the explanation for the record of refused requests. */
export function explained({ principal, permission, resource }: Asked, problem: Problem): Problem {
  problem.options.facts = () => explain(principal, permission, resource) ?? {};
  return problem;
}

/**
 * Checks the permission on a resource that the operation found.
 * @throws Problem `not_found` (absent and hidden alike), `insufficient_scope`, `project_archived`
 */
export function requireSeen(principal: Principal, permission: Scope, resource: Resource): void {
  const verdict = decide(principal, permission, resource);
  if (!verdict.allowed) throw refusalOf({ principal, permission, resource }, verdict.reason);
}

/** Checks each of these permissions. @throws Problem as `requireSeen` */
export function requireAllSeen(principal: Principal, permissions: readonly Scope[], resource: Resource): void {
  for (const permission of permissions) requireSeen(principal, permission, resource);
}

/**
 * Checks the permission for an operation on the organization itself. A credential knows that its organization exists,
 * so a credential of one project gets the reason of the refusal, and so does a guest.
 * @throws Problem `forbidden`, `insufficient_scope`
 */
export function requireOrganization(principal: Principal, permission: Scope): void {
  const resource = { orgId: principal.orgId };
  const verdict = decide(principal, permission, resource);
  if (verdict.allowed) return;
  const asked = { principal, permission, resource };
  if (verdict.reason.by !== "hidden") throw refusalOf(asked, verdict.reason);
  const [detail, decidedBy] = principal.kind === "person" ? FOR_GUESTS : FOR_PROJECTS;
  throw explained(asked, new Problem("forbidden", detail, { decidedBy }));
}

const FOR_GUESTS = [
  "You are a guest: you reach only your projects, and this belongs to the organization.",
  "role",
] as const;
const FOR_PROJECTS = [
  "This credential reaches only one project, and this belongs to the whole organization. Use a credential of the organization.",
  "project",
] as const;

/**
 * Checks that the principal is not limited to resources, for an operation that acts on more than single resources. It
 * runs before anything is looked up, so the answer reveals nothing.
 * @throws Problem `insufficient_scope`
 */
export function requireUnlimited(principal: Principal, permission: Scope): void {
  const asked = { principal, permission, resource: { orgId: principal.orgId } };
  if (principal.limits !== undefined) throw refusalOf(asked, { by: "beyond resources" });
}
