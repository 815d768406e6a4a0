import { sql } from "kysely";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import type { TableOfOrganization } from "./tables.ts";

/** Rows in one transaction: few, so that requests of others don't wait long. */
const BATCH = 500;

function ofOrganization(parent: TableOfOrganization["parent"], orgId: string) {
  if (parent === undefined) return sql`org_id = ${orgId}`;
  return sql`${sql.ref(parent.column)} in (select id from ${sql.table(parent.table)} where org_id = ${orgId})`;
}

/** Whether the organization has rows in a table. */
export async function hasRows(db: Reader, { table, parent }: TableOfOrganization, orgId: string): Promise<boolean> {
  const found = sql`select 1 as one from ${sql.table(table)} where ${ofOrganization(parent, orgId)} limit 1`;
  return (await found.execute(db)).rows.length > 0;
}

/** Deletes some rows of the organization. Returns the blobs that they held, and the number of rows. */
export async function deleteSome(
  tx: Writer,
  { table, key, parent, content }: TableOfOrganization,
  orgId: string,
): Promise<{ readonly rows: number; readonly blobs: readonly string[] }> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const some = sql`select ${columns} from ${sql.table(table)} where ${ofOrganization(parent, orgId)} limit ${sql.lit(BATCH)}`;
  const answer = content === undefined ? sql`1 as blob_id` : sql.ref("blob_id");
  const deletion = sql<{ blob_id: string | null }>`
    delete from ${sql.table(table)} where (${columns}) in (${some}) returning ${answer}`;
  const { rows } = await deletion.execute(tx);
  const blobs = content === undefined ? [] : rows.flatMap(({ blob_id: blob }) => (blob === null ? [] : [blob]));
  return { rows: rows.length, blobs };
}

/** Deletes the waiting jobs of an organization. */
export async function deleteJobs(tx: Writer, orgId: string): Promise<void> {
  await tx.deleteFrom("job").where("group_key", "=", orgId).execute();
}

/** Deletes the organization, and reserves its slug and its former slugs. */
export async function deleteOrganizationRow(tx: Writer, organization: Deleted, atMs: number): Promise<void> {
  const former = await tx.selectFrom("former_slug").select("slug").where("org_id", "=", organization.id).execute();
  for (const slug of [organization.slug, ...former.map((row) => row.slug)])
    await tx
      .insertInto("deleted_organization")
      .values({ id: organization.id, slug, deleted_at: atMs })
      .onConflict((conflict) => conflict.column("slug").doUpdateSet({ id: organization.id, deleted_at: atMs }))
      .execute();
  await tx.deleteFrom("former_slug").where("org_id", "=", organization.id).execute();
  await tx.deleteFrom("organization").where("id", "=", organization.id).execute();
}

type Deleted = Pick<Tables["organization"], "id" | "slug">;

/** Returns the organizations whose deletion is not finished, in the order of their ids. */
export async function deletingOrganizations(db: Reader): Promise<{ id: string; deletes_at: number }[]> {
  const rows = db.selectFrom("organization").select(["id", "deletes_at"]).where("state", "=", "deleting");
  return (await rows.orderBy("id").execute()).map(({ id, deletes_at: at }) => ({ id, deletes_at: at ?? 0 }));
}
