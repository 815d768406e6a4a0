import type { Scope } from "@mooring/contract";
import { stateRefusal, type Resource } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import { decide } from "./authorize.ts";
import type { Principal } from "./principal.ts";
import { lacking, type Reason } from "./reason.ts";

/** Early, before the resource is known. @throws Problem `insufficient_scope`, `project_archived` */
export function requireAnywhere(principal: Principal, permission: Scope): void {
  const verdict = decide(principal, permission);
  if (!verdict.allowed) throw refusalOf(permission, verdict.reason);
}

/** Absent and hidden resources get the same text. */
export function absent(): Problem {
  return new Problem("not_found", "There is no such resource here, or you may not see it.");
}

/** The answer to a refusal of the permission check: the one place of it. */
function refusalOf(permission: Scope, reason: Reason): Problem {
  if (reason.by === "hidden") return absent();
  return reason.by === "state" ? stateRefusal(reason.state) : lacking(permission, reason);
}

/**
 * For what the operation has found.
 * @throws Problem `not_found` (absent and hidden alike), `insufficient_scope`, `project_archived`
 */
export function requireSeen(principal: Principal, permission: Scope, resource: Resource): void {
  const verdict = decide(principal, permission, resource);
  if (!verdict.allowed) throw refusalOf(permission, verdict.reason);
}

/** Asks for each of these permissions. @throws Problem as `requireSeen` */
export function requireAllSeen(principal: Principal, permissions: readonly Scope[], resource: Resource): void {
  for (const permission of permissions) requireSeen(principal, permission, resource);
}

/**
 * For operations on the organization itself. Its own credentials know that it exists, so those of one project get the
 * reason of a refusal.
 * @throws Problem `forbidden`, `insufficient_scope`
 */
export function requireOrganization(principal: Principal, permission: Scope): void {
  const verdict = decide(principal, permission, { orgId: principal.orgId });
  if (verdict.allowed) return;
  if (verdict.reason.by !== "hidden") throw refusalOf(permission, verdict.reason);
  throw new Problem(
    "forbidden",
    "This credential reaches one project only, and this belongs to the whole organization.",
    { decidedBy: "project" },
  );
}
