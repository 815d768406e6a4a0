import type { Scope } from "@mooring/contract";
import { stateRefusal, type Resource } from "#domain/projects/index.ts";
import { suspensionRefusal } from "#domain/suspension/index.ts";
import { Problem } from "#kernel/problem.ts";
import { decide } from "./authorize.ts";
import type { Principal } from "./principal.ts";
import { lacking, type Reason } from "./reason.ts";

/** Checks early, before the resource is known. @throws Problem `insufficient_scope`, `project_archived` */
export function requireAnywhere(principal: Principal, permission: Scope): void {
  const verdict = decide(principal, permission);
  if (!verdict.allowed) throw refusalOf(permission, verdict.reason);
}

/** Returns the same problem for absent and hidden resources. */
export function absent(): Problem {
  return new Problem("not_found", "This resource does not exist, or you may not see it.");
}

/** Returns the problem for a refused permission. This is the only place that makes it. */
function refusalOf(permission: Scope, reason: Reason): Problem {
  if (reason.by === "hidden") return absent();
  if (reason.by === "organization") return suspensionRefusal(reason.organization, { scope: permission });
  return reason.by === "state" ? stateRefusal(reason.state) : lacking(permission, reason);
}

/**
 * Checks the permission on a resource that the operation found.
 * @throws Problem `not_found` (absent and hidden alike), `insufficient_scope`, `project_archived`
 */
export function requireSeen(principal: Principal, permission: Scope, resource: Resource): void {
  const verdict = decide(principal, permission, resource);
  if (!verdict.allowed) throw refusalOf(permission, verdict.reason);
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
  const verdict = decide(principal, permission, { orgId: principal.orgId });
  if (verdict.allowed) return;
  if (verdict.reason.by !== "hidden") throw refusalOf(permission, verdict.reason);
  if (principal.kind === "person")
    throw new Problem(
      "forbidden",
      "You are a guest: you reach only your projects, and this belongs to the organization.",
      {
        decidedBy: "role",
      },
    );
  throw new Problem(
    "forbidden",
    "This credential reaches only one project, and this belongs to the whole organization. Use a credential of the organization.",
    { decidedBy: "project" },
  );
}

/**
 * Checks that the principal is not limited to resources, for an operation that acts on more than single resources. It
 * runs before anything is looked up, so the answer reveals nothing.
 * @throws Problem `insufficient_scope`
 */
export function requireUnlimited({ limits }: Principal, permission: Scope): void {
  if (limits !== undefined) throw lacking(permission, { by: "beyond resources" });
}
