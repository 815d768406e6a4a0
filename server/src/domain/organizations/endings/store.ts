import { joinProject, withinProjects, type Reach } from "#domain/projects/index.ts";
import { customRoleOf } from "#domain/identity/index.ts";
import type { Reader } from "#stores/metadata/index.ts";

/** The memberships whose ends are in a range of time. */
export interface EndRange {
  readonly orgId: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

export async function endingMembers(db: Reader, { orgId, fromMs, toMs, limit }: EndRange) {
  return db
    .selectFrom("member")
    .innerJoin("person", "person.id", "member.user_id")
    .select(["member.user_id", "person.email", "person.name", "member.role", "member.expires_at"])
    .select(customRoleOf("member"))
    .where("member.org_id", "=", orgId)
    .where("member.expires_at", ">=", fromMs)
    .where("member.expires_at", "<", toMs)
    .orderBy("member.expires_at")
    .limit(limit)
    .execute();
}

export async function endingProjectMembers(db: Reader, { orgId, fromMs, toMs, limit }: EndRange, reach: Reach) {
  return joinProject(db.selectFrom("project_member as m"), "m.project_id")
    .innerJoin("person", "person.id", "m.user_id")
    .select(["m.user_id", "person.email", "person.name", "m.role", "m.expires_at"])
    .select(customRoleOf("m"))
    .select(["project.id as project_id", "project.slug as project_slug"])
    .where("m.org_id", "=", orgId)
    .where("m.expires_at", ">=", fromMs)
    .where("m.expires_at", "<", toMs)
    .where(withinProjects(reach, "project.id"))
    .orderBy("m.expires_at")
    .limit(limit)
    .execute();
}

/** Leaves out memberships from a claim, because each sign-in extends them. */
export async function endingGroupMembers(db: Reader, { orgId, fromMs, toMs, limit }: EndRange) {
  return db
    .selectFrom("group_member as m")
    .innerJoin("person", "person.id", "m.user_id")
    .innerJoin("person_group as g", "g.id", "m.group_id")
    .select(["m.user_id", "person.email", "person.name", "g.slug as role", "m.expires_at"])
    .where("m.org_id", "=", orgId)
    .where("m.source", "=", "manual")
    .where("m.expires_at", ">=", fromMs)
    .where("m.expires_at", "<", toMs)
    .orderBy("m.expires_at")
    .limit(limit)
    .execute();
}

export async function endingProjectGroups(db: Reader, { orgId, fromMs, toMs, limit }: EndRange, reach: Reach) {
  return joinProject(db.selectFrom("project_group as m"), "m.project_id")
    .innerJoin("person_group as g", "g.id", "m.group_id")
    .select(["g.name", "m.role", "m.expires_at"])
    .select(customRoleOf("m"))
    .select(["project.id as project_id", "project.slug as project_slug"])
    .where("m.org_id", "=", orgId)
    .where("m.expires_at", ">=", fromMs)
    .where("m.expires_at", "<", toMs)
    .where(withinProjects(reach, "project.id"))
    .orderBy("m.expires_at")
    .limit(limit)
    .execute();
}

/** Lists the invitations that are open, with memberships that would end in the range. */
export async function endingInvitations(db: Reader, { orgId, fromMs, toMs, limit }: EndRange) {
  return db
    .selectFrom("invitation")
    .select(["id as invitation_id", "email", "role", "membership_expires_at as expires_at"])
    .select(customRoleOf("invitation"))
    .where("org_id", "=", orgId)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("membership_expires_at", ">=", fromMs)
    .where("membership_expires_at", "<", toMs)
    .orderBy("membership_expires_at")
    .limit(limit)
    .execute();
}
