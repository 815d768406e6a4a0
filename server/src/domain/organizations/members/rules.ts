import type { MemberRole, Scope } from "@mooring/contract";
import { lackingToWiden, nameOfRole, scopesOfRole, type RoleOf } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Grantor } from "../caller.ts";

/** Checks that a caller gives only permissions that they have. Only owners make owners. @throws Problem `forbidden` */
export function requireMayGrant(grantor: Grantor, given: RoleOf<MemberRole>): void {
  if (mayGrant(grantor, given)) return;
  const { role } = given;
  if (role === "owner" && grantor.role !== "owner")
    throw new Problem("forbidden", "Only an owner can make a person an owner.");
  const lacking = lackingFor(grantor, given);
  throw new Problem(
    "forbidden",
    `The role ${nameOfRole(given)} has permissions that you lack (${lacking.join(", ") || "you are not a member"}), so you can't give it.`,
  );
}

export function mayGrant(grantor: Grantor, given: RoleOf<MemberRole>): boolean {
  if (grantor.role === undefined || (given.role === "owner" && grantor.role !== "owner")) return false;
  return lackingFor(grantor, given).length === 0;
}

function lackingFor(grantor: Grantor, given: RoleOf<MemberRole>): Scope[] {
  return lackingToWiden(grantor.scopes, { isWider: true, may: scopesOfRole(given) });
}

/** @throws Problem `forbidden` */
export function requireMayChange(grantor: Grantor, present: MemberRole): void {
  if (present === "owner" && grantor.role !== "owner") {
    throw new Problem("forbidden", "Only an owner can change or remove an owner.");
  }
}

/** Returns the scopes of `wanted` that `held` lacks. */
export function beyond(wanted: Iterable<Scope>, held: ReadonlySet<Scope>): Scope[] {
  return [...wanted].filter((scope) => !held.has(scope));
}
