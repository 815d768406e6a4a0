import type { CustomRoleKind } from "@mooring/contract";
import { withProject, type ProjectColumns } from "#domain/projects/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import type { RowsWanted } from "../pages.ts";

export type CustomRoleRow = Tables["custom_role"];

/** A custom role, with the number of its uses. */
export interface CustomRole extends CustomRoleRow {
  readonly uses: number;
}

/** Finds a role by id or slug. */
export async function roleByName(db: Reader, orgId: string, idOrSlug: string): Promise<CustomRoleRow | undefined> {
  return db
    .selectFrom("custom_role")
    .selectAll()
    .where("org_id", "=", orgId)
    .where(idOrSlug.startsWith("role_") ? "id" : "slug", "=", idOrSlug)
    .executeTakeFirst();
}

/** Lists roles, newest first. */
export async function listRoleRows(
  db: Reader,
  orgId: string,
  { beforeId, limit }: RowsWanted,
): Promise<CustomRoleRow[]> {
  return db
    .selectFrom("custom_role")
    .selectAll()
    .where("org_id", "=", orgId)
    .$if(beforeId !== undefined, (query) => query.where("id", "<", beforeId ?? ""))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}

export async function insertRole(tx: Writer, row: CustomRoleRow): Promise<void> {
  await tx.insertInto("custom_role").values(row).execute();
}

export async function setRole(tx: Writer, { id, slug, name, scopes }: CustomRoleRow): Promise<void> {
  await tx.updateTable("custom_role").set({ slug, name, scopes }).where("id", "=", id).execute();
}

export async function deleteRoleRow(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom("custom_role").where("id", "=", id).execute();
}

/** Counts the memberships, groups in projects and open invitations that have the role. Ended memberships count, too. */
export async function usesOf(db: Reader, { id, kind }: { readonly id: string; readonly kind: CustomRoleKind }) {
  const count = async (table: "member" | "project_member" | "project_group"): Promise<number> => {
    const rows = db.selectFrom(table).select((eb) => eb.fn.countAll().as("n"));
    return Number((await rows.where("custom_role", "=", id).executeTakeFirst())?.n ?? 0);
  };
  if (kind === "project") return (await count("project_member")) + (await count("project_group"));
  const invitations = await db
    .selectFrom("invitation")
    .select((eb) => eb.fn.countAll().as("n"))
    .where("custom_role", "=", id)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .executeTakeFirst();
  return (await count("member")) + Number(invitations?.n ?? 0);
}

/** Returns the ids of the people who have the role, by themselves or by a group. */
export async function holdersOf(db: Reader, roleId: string): Promise<string[]> {
  const members = db.selectFrom("member").select("user_id").where("custom_role", "=", roleId);
  const inProjects = db.selectFrom("project_member").select("user_id").where("custom_role", "=", roleId);
  const byGroups = db
    .selectFrom("project_group as pg")
    .innerJoin("group_member as gm", "gm.group_id", "pg.group_id")
    .select("gm.user_id")
    .where("pg.custom_role", "=", roleId);
  const rows = await members.union(inProjects).union(byGroups).execute();
  return rows.map(({ user_id }) => user_id);
}

/** Returns the projects in which people or groups have the role. */
export async function projectsWithRole(
  db: Reader,
  roleId: string,
): Promise<(ProjectColumns & { org_id: string; project_id: string })[]> {
  const people = withProject(db.selectFrom("project_member as m"), "m.project_id")
    .select(["m.org_id", "m.project_id"])
    .where("m.custom_role", "=", roleId);
  const groups = withProject(db.selectFrom("project_group as m"), "m.project_id")
    .select(["m.org_id", "m.project_id"])
    .where("m.custom_role", "=", roleId);
  const rows = [...(await people.execute()), ...(await groups.execute())];
  return [...new Map(rows.map((row) => [row.project_id, row])).values()];
}
