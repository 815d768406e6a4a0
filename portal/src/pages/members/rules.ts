import type { MemberRole, OrgRole } from "@mooring/contract";

/** The actor and the member. The server decides. These functions say in advance why it would refuse a change. */
export interface RoleQuestion {
  readonly mine: MemberRole | null;
  readonly mayWrite: boolean;
  readonly present: MemberRole;
  readonly owners: number;
}

/** Returns why a person's role can't be changed and the person can't be removed. Null: both are possible. */
export function whyFixed({ mine, mayWrite, present, owners }: RoleQuestion): string | null {
  if (!mayWrite) return "Your role lacks members:write.";
  if (present === "owner" && mine !== "owner") return "Only an owner can change or remove an owner.";
  if (present === "owner" && owners <= 1)
    return "This is the last owner of the organization. Make somebody else an owner first.";
  return null;
}

/** Returns why the actor can't give a role. Null: they can. */
export function whyNotGiven(role: OrgRole, mine: MemberRole | null): string | null {
  if (role === "owner" && mine !== "owner") return "Only an owner can make somebody an owner.";
  if (mine !== "owner" && mine !== "admin") return "It has permissions that you lack.";
  return null;
}

/** The purpose of each role, in one sentence. */
const ROLE_ABOUT: Readonly<Record<OrgRole, string>> = {
  owner: "All permissions, and manages owners.",
  admin: "All permissions, but does not manage owners.",
  developer: "Works in all projects that are not private. Manages credentials, but not members or policies.",
  viewer: "Reads everything except the audit log and credentials.",
  guest: "Sees only the projects to which you add them.",
};

/** Returns the purpose of a role in one sentence. For a custom role: its permissions. */
export function aboutRole(
  value: string,
  custom: readonly { readonly slug: string; readonly scopes: readonly string[] }[],
): string {
  const role = custom.find(({ slug }) => value === `custom:${slug}`);
  return role === undefined ? ((ROLE_ABOUT as Readonly<Record<string, string>>)[value] ?? "") : role.scopes.join(", ");
}
