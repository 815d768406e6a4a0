import { withinReach, withOptionalProject, type OptionalProjectColumns, type Reach } from "#domain/projects/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type SavedQueryRow = Tables["saved_query"];

/** A saved query with the columns of its project that decide who may see it. */
export type SavedQuery = SavedQueryRow & OptionalProjectColumns;

function savedQueries(db: Reader, orgId: string) {
  const queries = db.selectFrom("saved_query").selectAll("saved_query");
  return withOptionalProject(queries, "saved_query.project_id").where("saved_query.org_id", "=", orgId);
}

export async function savedQueryById(db: Reader, orgId: string, id: string): Promise<SavedQuery | undefined> {
  return savedQueries(db, orgId).where("saved_query.id", "=", id).executeTakeFirst();
}

/** Finds a saved query by its name in a project. Null: among those of the organization. */
export async function idByName(
  db: Reader,
  orgId: string,
  projectId: string | null,
  name: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("saved_query")
    .select("id")
    .where("org_id", "=", orgId)
    .where("place", "=", projectId ?? "")
    .where("name", "=", name)
    .executeTakeFirst();
  return row?.id;
}

/** Lists the saved queries within reach, of one project or all, newest first. */
export async function listSavedQueryRows(
  db: Reader,
  orgId: string,
  reach: Reach,
  page: { projectId: string | undefined; beforeId: string | undefined; limit: number },
): Promise<SavedQuery[]> {
  return savedQueries(db, orgId)
    .where(withinReach(reach, "saved_query.project_id"))
    .$if(page.projectId !== undefined, (query) => query.where("saved_query.project_id", "=", page.projectId ?? ""))
    .$if(page.beforeId !== undefined, (query) => query.where("saved_query.id", "<", page.beforeId ?? ""))
    .orderBy("saved_query.id", "desc")
    .limit(page.limit)
    .execute();
}

export async function countAlertsOn(db: Reader, orgId: string, queryId: string): Promise<number> {
  const { count } = await db
    .selectFrom("alert")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("org_id", "=", orgId)
    .where("query_id", "=", queryId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertSavedQuery(tx: Writer, row: SavedQueryRow): Promise<void> {
  await tx.insertInto("saved_query").values(row).execute();
}

export async function setSavedQuery(tx: Writer, row: SavedQueryRow): Promise<void> {
  const { name, description, sql, parameters, parameter_names, updated_by, updated_at, revision } = row;
  await tx
    .updateTable("saved_query")
    .set({ name, description, sql, parameters, parameter_names, updated_by, updated_at, revision })
    .where("org_id", "=", row.org_id)
    .where("id", "=", row.id)
    .execute();
}

export async function deleteSavedQueryRow(tx: Writer, orgId: string, id: string): Promise<void> {
  await tx.deleteFrom("saved_query").where("org_id", "=", orgId).where("id", "=", id).execute();
}
