import type { ProjectMemberRole } from "@mooring/contract";
import { customRoleOf, type RoleOf } from "#domain/identity/index.ts";
import { withProject, type ProjectColumns } from "#domain/projects/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import type { RowsWanted } from "../pages.ts";

export type GroupRow = Tables["person_group"];
export type GroupSource = Tables["group_member"]["source"];

/** A group, with the number of its members. */
export interface Group extends GroupRow {
  readonly members: number;
}

function groups(db: Reader, orgId: string) {
  return db
    .selectFrom("person_group")
    .selectAll("person_group")
    .select((row) =>
      row
        .selectFrom("group_member as m")
        .select((of) => of.fn.count<number>("m.user_id").distinct().as("n"))
        .whereRef("m.group_id", "=", "person_group.id")
        .$asScalar()
        .$notNull()
        .as("members"),
    )
    .where("person_group.org_id", "=", orgId);
}

/** Finds a group by id or slug. */
export async function groupByName(db: Reader, orgId: string, idOrSlug: string): Promise<Group | undefined> {
  return groups(db, orgId)
    .where(idOrSlug.startsWith("grp_") ? "person_group.id" : "person_group.slug", "=", idOrSlug)
    .executeTakeFirst();
}

/** Lists groups, newest first. */
export async function listGroupRows(db: Reader, orgId: string, { beforeId, limit }: RowsWanted): Promise<Group[]> {
  return groups(db, orgId)
    .$if(beforeId !== undefined, (query) => query.where("person_group.id", "<", beforeId ?? ""))
    .orderBy("person_group.id", "desc")
    .limit(limit)
    .execute();
}

export async function groupByClaim(db: Reader, orgId: string, claim: string): Promise<GroupRow | undefined> {
  return db
    .selectFrom("person_group")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("claim", "=", claim)
    .executeTakeFirst();
}

export async function insertGroup(tx: Writer, row: GroupRow): Promise<void> {
  await tx.insertInto("person_group").values(row).execute();
}

export async function setGroup(tx: Writer, { id, slug, name, claim }: GroupRow): Promise<void> {
  await tx.updateTable("person_group").set({ slug, name, claim }).where("id", "=", id).execute();
}

/** Deletes a group with its memberships and its roles. */
export async function deleteGroupRows(tx: Writer, groupId: string): Promise<void> {
  await tx.deleteFrom("group_member").where("group_id", "=", groupId).execute();
  await tx.deleteFrom("project_group").where("group_id", "=", groupId).execute();
  await tx.deleteFrom("person_group").where("id", "=", groupId).execute();
}

/** A person as a member of a group, from one source. */
export interface GroupMember {
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly source: GroupSource;
  readonly created_at: number;
  readonly expires_at: number | null;
}

const MEMBER_COLUMNS = [
  "m.user_id",
  "person.email",
  "person.name",
  "m.source",
  "m.created_at",
  "m.expires_at",
] as const;

export async function groupMembersOf(db: Reader, groupId: string, userId: string): Promise<GroupMember[]> {
  return db
    .selectFrom("group_member as m")
    .innerJoin("person", "person.id", "m.user_id")
    .select(MEMBER_COLUMNS)
    .where("m.group_id", "=", groupId)
    .where("m.user_id", "=", userId)
    .orderBy("m.source")
    .execute();
}

/** Lists members, newest person first. A page ends with all sources of a person, so it may be one row longer. */
export async function listGroupMemberRows(
  db: Reader,
  groupId: string,
  { after, limit }: { after: readonly [string, string] | undefined; limit: number },
): Promise<GroupMember[]> {
  const page = db
    .selectFrom("group_member")
    .selectAll()
    .where("group_id", "=", groupId)
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb(eb.refTuple("user_id", "source"), "<", eb.tuple(after?.[0] ?? "", (after?.[1] ?? "manual") as GroupSource)),
      ),
    )
    .orderBy("user_id", "desc")
    .orderBy("source", "desc")
    .limit(limit);
  // The page first, so that no plan reads all people to find its members.
  return db
    .selectFrom(page.as("m"))
    .innerJoin("person", "person.id", "m.user_id")
    .select(MEMBER_COLUMNS)
    .orderBy("m.user_id", "desc")
    .orderBy("m.source", "desc")
    .execute();
}

export async function putGroupMemberRow(tx: Writer, row: Tables["group_member"]): Promise<void> {
  await tx
    .insertInto("group_member")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["group_id", "user_id", "source"]).doUpdateSet({ expires_at: row.expires_at }),
    )
    .execute();
}

/** Returns the number of deleted rows. `userId` absent: of all people. */
export async function deleteGroupMemberRows(
  tx: Writer,
  which: { readonly groupId: string; readonly userId?: string; readonly source: GroupSource },
): Promise<number> {
  const rows = await tx
    .deleteFrom("group_member")
    .where("group_id", "=", which.groupId)
    .where("source", "=", which.source)
    .$if(which.userId !== undefined, (query) => query.where("user_id", "=", which.userId ?? ""))
    .returning("user_id")
    .execute();
  return rows.length;
}

/** A group as a member of a project. */
export interface ProjectGroup {
  readonly group_id: string;
  readonly slug: string;
  readonly name: string;
  readonly role: ProjectMemberRole;
  /** The id of the custom role, and its columns. Null: the role is built in. */
  readonly custom_role: string | null;
  readonly custom_slug: string | null;
  readonly custom_scopes: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
}

function projectGroups(db: Reader, projectId: string) {
  return db
    .selectFrom("project_group as m")
    .innerJoin("person_group as g", "g.id", "m.group_id")
    .select(["m.group_id", "g.slug", "g.name", "m.role", "m.custom_role", "m.created_at", "m.expires_at"])
    .select(customRoleOf("m"))
    .where("m.project_id", "=", projectId);
}

/** Finds a group of a project by its id or slug. */
export async function projectGroupByName(
  db: Reader,
  projectId: string,
  idOrSlug: string,
): Promise<ProjectGroup | undefined> {
  return projectGroups(db, projectId)
    .where(idOrSlug.startsWith("grp_") ? "g.id" : "g.slug", "=", idOrSlug)
    .executeTakeFirst();
}

/** Lists groups, newest first. */
export async function listProjectGroupRows(
  db: Reader,
  projectId: string,
  { beforeId, limit }: RowsWanted,
): Promise<ProjectGroup[]> {
  return projectGroups(db, projectId)
    .$if(beforeId !== undefined, (query) => query.where("m.group_id", "<", beforeId ?? ""))
    .orderBy("m.group_id", "desc")
    .limit(limit)
    .execute();
}

export async function putProjectGroupRow(tx: Writer, row: Tables["project_group"]): Promise<void> {
  const { role, custom_role, expires_at } = row;
  await tx
    .insertInto("project_group")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["project_id", "group_id"]).doUpdateSet({ role, custom_role, expires_at }),
    )
    .execute();
}

export async function deleteProjectGroupRow(tx: Writer, projectId: string, groupId: string): Promise<void> {
  await tx.deleteFrom("project_group").where("project_id", "=", projectId).where("group_id", "=", groupId).execute();
}

/** Returns the roles of a group, with the columns for the permission check. */
export async function rolesOfGroup(
  db: Reader,
  groupId: string,
): Promise<
  (ProjectColumns & RoleOf<ProjectMemberRole> & { org_id: string; project_id: string; expires_at: number | null })[]
> {
  return withProject(db.selectFrom("project_group as m"), "m.project_id")
    .select(["m.org_id", "m.project_id", "m.role", "m.expires_at"])
    .select(customRoleOf("m"))
    .where("m.group_id", "=", groupId)
    .execute();
}

/** Returns the groups with a claim in the organizations of a person, with the membership that the claim gave so far. */
export async function claimedGroups(
  db: Reader,
  userId: string,
): Promise<
  { id: string; org_id: string; slug: string; claim: string | null; member: string | null; until: number | null }[]
> {
  return db
    .selectFrom("person_group as g")
    .innerJoin("member", "member.org_id", "g.org_id")
    .leftJoin("group_member as m", (join) =>
      join.onRef("m.group_id", "=", "g.id").onRef("m.user_id", "=", "member.user_id").on("m.source", "=", "oidc"),
    )
    .select(["g.id", "g.org_id", "g.slug", "g.claim", "m.user_id as member", "m.expires_at as until"])
    .where("member.user_id", "=", userId)
    .where("g.claim", "is not", null)
    .execute();
}
