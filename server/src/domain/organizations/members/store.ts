import type { Insertable } from "kysely";
import type { MemberRole, OrgRole } from "@mooring/contract";
import { customRoleOf, lastResponsibleSince, type ProjectGrant } from "#domain/identity/index.ts";
import { joinProject } from "#domain/projects/index.ts";
import { earliest } from "#kernel/time.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

/** A person as a member of one organization. */
export interface Member {
  user_id: string;
  email: string;
  name: string;
  role: MemberRole;
  /** The id of the custom role, and its columns. Null: the role is built in. */
  custom_role: string | null;
  custom_slug: string | null;
  custom_scopes: string | null;
  /** Their role from before it was last lowered. */
  lowered_from: OrgRole | null;
  /** Earlier sign-ins are not valid in the organization. */
  valid_after: number | null;
  /** When the membership ends. Null: no end. It may have passed. */
  expires_at: number | null;
  created_at: number;
  /** When they last used the portal. */
  last_seen_at: number | null;
  totp: number;
  passkeys: number;
}

type Person = Tables["person"];

function members(db: Reader, orgId: string) {
  return db
    .selectFrom("member")
    .innerJoin("person", "person.id", "member.user_id")
    .select(["member.user_id", "person.email", "person.name", "member.role", "member.lowered_from"])
    .select(["member.created_at", "member.expires_at", "member.custom_role"])
    .select(customRoleOf("member"))
    .select("member.valid_after")
    .select("person.last_seen_at")
    .select((row) => [
      row
        .selectFrom("person_totp as t")
        .select(row.fn.countAll<number>().as("n"))
        .whereRef("t.user_id", "=", "member.user_id")
        .where("t.confirmed_at", "is not", null)
        .$asScalar()
        .$notNull()
        .as("totp"),
      row
        .selectFrom("passkey as k")
        .select(row.fn.countAll<number>().as("n"))
        .whereRef("k.user_id", "=", "member.user_id")
        .$asScalar()
        .$notNull()
        .as("passkeys"),
    ])
    .where("member.org_id", "=", orgId);
}

export async function findMember(db: Reader, orgId: string, userId: string): Promise<Member | undefined> {
  return members(db, orgId).where("member.user_id", "=", userId).executeTakeFirst();
}

export async function findMemberByEmail(db: Reader, orgId: string, email: string): Promise<Member | undefined> {
  return members(db, orgId).where("person.email", "=", email).executeTakeFirst();
}

/** Returns the role and the end of a membership, which may have passed. */
export async function findRole(
  db: Reader,
  orgId: string,
  userId: string,
): Promise<Pick<Member, "role" | "custom_scopes" | "expires_at"> | undefined> {
  return db
    .selectFrom("member")
    .select(["role", "expires_at"])
    .select(customRoleOf("member"))
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
}

/** Lists members, newest person first. */
export async function listMemberRows(
  db: Reader,
  orgId: string,
  page: { beforeId: string | undefined; limit: number },
): Promise<Member[]> {
  return members(db, orgId)
    .$if(page.beforeId !== undefined, (query) => query.where("member.user_id", "<", page.beforeId ?? ""))
    .orderBy("member.user_id", "desc")
    .limit(page.limit)
    .execute();
}

/** Returns the owners, longest-standing first. The memberships of some of them may end, or have ended. */
export async function ownersOf(db: Reader, orgId: string): Promise<Member[]> {
  return members(db, orgId)
    .where("member.role", "=", "owner")
    .orderBy("member.created_at")
    .orderBy("member.user_id")
    .execute();
}

/** Returns the ids of owners and admins: owners first, then the longest-standing. */
export async function adminsOf(db: Reader, orgId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("member")
    .select("user_id")
    .where("org_id", "=", orgId)
    .where("role", "in", ["owner", "admin"])
    .orderBy("role", "desc")
    .orderBy("created_at")
    .orderBy("user_id")
    .limit(limit)
    .execute();
  return rows.map(({ user_id: id }) => id);
}

/** Who was a member before gets nothing back: the time is after the last one at which they became responsible. */
export async function insertMember(tx: Writer, row: Insertable<Tables["member"]>): Promise<void> {
  const before = await lastResponsibleSince(tx, row.org_id, row.user_id);
  const created_at = Math.max(row.created_at, before + 1);
  await tx
    .insertInto("member")
    .values({ ...row, created_at })
    .execute();
}

/** `lowered_from`: the role so far, if the new one has fewer permissions. */
export async function setMember(
  tx: Writer,
  orgId: string,
  userId: string,
  { role, custom_role, lowered_from, expires_at }: Pick<Member, "role" | "custom_role" | "lowered_from" | "expires_at">,
): Promise<void> {
  await tx
    .updateTable("member")
    .set({ role, custom_role, lowered_from, expires_at })
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .execute();
}

/** Removes a person from the organization, its projects and its groups, with their logins of the command line there. */
export async function deleteMembership(tx: Writer, orgId: string, userId: string): Promise<void> {
  await tx.deleteFrom("project_member").where("org_id", "=", orgId).where("user_id", "=", userId).execute();
  await tx.deleteFrom("group_member").where("org_id", "=", orgId).where("user_id", "=", userId).execute();
  await tx.deleteFrom("login").where("org_id", "=", orgId).where("user_id", "=", userId).execute();
  await tx.deleteFrom("member").where("org_id", "=", orgId).where("user_id", "=", userId).execute();
}

/** Ends the earlier sign-ins of a member in the organization. Returns the number of deleted logins. */
export async function endSignIns(tx: Writer, orgId: string, userId: string, atMs: number): Promise<number> {
  await tx
    .updateTable("member")
    .set({ valid_after: atMs })
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .execute();
  const logins = tx.deleteFrom("login").where("org_id", "=", orgId).where("user_id", "=", userId);
  return (await logins.returning("id").execute()).length;
}

/** Returns the ids of private projects whose only maintainer is this person. */
export async function projectsMaintainedAlone(db: Reader, orgId: string, userId: string): Promise<string[]> {
  const rows = await joinProject(db.selectFrom("project_member as own"), "own.project_id")
    .select("project.id")
    .where("own.org_id", "=", orgId)
    .where("own.user_id", "=", userId)
    .where("own.role", "=", "maintainer")
    .where("project.visibility", "=", "private")
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("project_member as other")
            .select("other.user_id")
            .whereRef("other.project_id", "=", "own.project_id")
            .where("other.role", "=", "maintainer")
            .where("other.expires_at", "is", null)
            .where("other.user_id", "!=", userId),
        ),
      ),
    )
    .execute();
  return rows.map((row) => row.id);
}

export async function personByEmail(db: Reader, email: string): Promise<Person | undefined> {
  return db.selectFrom("person").selectAll().where("email", "=", email).executeTakeFirst();
}

/** Inserts the person, or returns the existing one with this e-mail address. */
export async function insertPersonOrFind(tx: Writer, row: Person): Promise<{ person: Person; created: boolean }> {
  const inserted = await tx
    .insertInto("person")
    .values(row)
    .onConflict((conflict) => conflict.column("email").doNothing())
    .returning("id")
    .execute();
  if (inserted.length > 0) return { person: row, created: true };
  return {
    person: await tx.selectFrom("person").selectAll().where("email", "=", row.email).executeTakeFirstOrThrow(),
    created: false,
  };
}

export async function setPerson(
  tx: Writer,
  userId: string,
  change: Pick<Person, "name" | "password_hash">,
): Promise<void> {
  await tx.updateTable("person").set(change).where("id", "=", userId).execute();
}

export async function setInstanceAdmin(tx: Writer, userId: string): Promise<void> {
  await tx.updateTable("person").set({ instance_admin: 1 }).where("id", "=", userId).execute();
}

/** Returns the person's roles in projects, by themselves and by groups, in one statement. Some may have ended. */
export async function projectGrants(
  db: Reader,
  orgId: string,
  userId: string,
): Promise<Map<string, readonly ProjectGrant[]>> {
  const rows = await db
    .selectFrom("project_member")
    .select(["project_id", "role", "expires_at as until", "expires_at as role_until"])
    .select(customRoleOf("project_member"))
    .where("org_id", "=", orgId)
    .where("user_id", "=", userId)
    .unionAll(
      db
        .selectFrom("group_member as gm")
        .innerJoin("project_group as pg", "pg.group_id", "gm.group_id")
        .select(["pg.project_id", "pg.role", "gm.expires_at as until", "pg.expires_at as role_until"])
        .select(customRoleOf("pg"))
        .where("gm.org_id", "=", orgId)
        .where("gm.user_id", "=", userId),
    )
    .execute();
  const grants = new Map<string, readonly ProjectGrant[]>();
  for (const { project_id: id, until, role_until, ...role } of rows)
    grants.set(id, [...(grants.get(id) ?? []), { ...role, endsAtMs: earliest(until, role_until) }]);
  return grants;
}
