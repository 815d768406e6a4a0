import type { OrgRole, Scope } from "@mooring/contract";
import { lackingToWiden, ORG_ROLE_SCOPES } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Grantor } from "../caller.ts";

/** Checks that a caller gives only permissions that they have. Only owners make owners. @throws Problem `forbidden` */
export function requireMayGrant(grantor: Grantor, role: OrgRole): void {
  if (mayGrant(grantor, role)) return;
  if (role === "owner" && grantor.role !== "owner")
    throw new Problem("forbidden", "Only an owner can make a person an owner.");
  const lacking = lackingFor(grantor, role);
  throw new Problem(
    "forbidden",
    `The role ${role} has permissions that you lack (${lacking.join(", ") || "you are not a member"}), so you can't give it.`,
  );
}

export function mayGrant(grantor: Grantor, role: OrgRole): boolean {
  if (grantor.role === undefined || (role === "owner" && grantor.role !== "owner")) return false;
  return lackingFor(grantor, role).length === 0;
}

function lackingFor(grantor: Grantor, role: OrgRole): Scope[] {
  return lackingToWiden(grantor.scopes, { isWider: true, may: ORG_ROLE_SCOPES[role] });
}

/** @throws Problem `forbidden` */
export function requireMayChange(grantor: Grantor, present: OrgRole): void {
  if (present === "owner" && grantor.role !== "owner") {
    throw new Problem("forbidden", "Only an owner can change or remove an owner.");
  }
}

/** Returns the scopes of `wanted` that `held` lacks. */
export function beyond(wanted: Iterable<Scope>, held: ReadonlySet<Scope>): Scope[] {
  return [...wanted].filter((scope) => !held.has(scope));
}
