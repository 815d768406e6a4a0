import type { OrgRole } from "@mooring/contract";

/** The actor and the member. The server decides; these functions show beforehand what it would refuse, and why. */
export interface RoleQuestion {
  readonly mine: OrgRole | null;
  readonly mayWrite: boolean;
  readonly present: OrgRole;
  readonly owners: number;
}

/** Why a person's role can't be changed at all, nor the person removed; null: it can. */
export function whyFixed({ mine, mayWrite, present, owners }: RoleQuestion): string | null {
  if (!mayWrite) return "Your role lacks members:write.";
  if (present === "owner" && mine !== "owner") return "Only an owner can change or remove an owner.";
  if (present === "owner" && owners <= 1)
    return "This is the last owner of the organization: make somebody else an owner first.";
  return null;
}

/** Why a role can't be given; null: it can. */
export function whyNotGiven(role: OrgRole, mine: OrgRole | null): string | null {
  if (role === "owner" && mine !== "owner") return "Only an owner can make somebody an owner.";
  if (mine !== "owner" && mine !== "admin") return "It has permissions that you lack.";
  return null;
}

/** The purpose of each role, in one sentence. */
export const ROLE_ABOUT: Readonly<Record<OrgRole, string>> = {
  owner: "Everything, and manages owners.",
  admin: "Everything except managing owners.",
  developer: "Works in all projects that are not private. Manages credentials, but not members or policies.",
  viewer: "Reads, except the audit log and credentials.",
};
