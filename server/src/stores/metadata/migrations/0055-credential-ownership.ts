import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/**
 * Adds who is responsible for a credential or S3 key: their permissions limit it. Until now the creator was responsible,
 * so older rows keep the creator, and have the same permissions as before.
 */
export async function credentialOwnership(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  for (const table of ["credential", "s3_key"]) {
    const columns = tx.schema.alterTable(table);
    await columns.addColumn("responsible", text, (column) => column.notNull().defaultTo("")).execute();
    await columns.addColumn("responsible_since", integer, (column) => column.notNull().defaultTo(0)).execute();
    await columns.addColumn("inherited", text).execute();
    await columns.addColumn("end_reason", text).execute();
    const rows = sql.table(table);
    await sql`update ${rows} set responsible = created_by, responsible_since = created_at`.execute(tx);
    // From now on, a person who leaves and comes back gets nothing back. Those who came back earlier keep their credentials.
    const since = sql`select m.created_at from member as m
      where m.org_id = ${rows}.org_id and m.user_id = ${rows}.created_by and m.created_at > ${rows}.created_at`;
    await sql`update ${rows} set responsible_since = (${since}) where exists (${since})`.execute(tx);
  }
  await tx.schema.alterTable("member").addColumn("lowered_from", text).execute();
  await tx.schema.dropIndex("credential__live_by_creator").execute();
  for (const statement of INDEXES) await sql.raw(statement).execute(tx);
}

/** The first finds a person's personal access tokens in all organizations. */
const INDEXES = [
  "create index credential__live_by_responsible on credential (responsible, kind, id) where revoked_at is null",
  "create index credential__by_responsible on credential (org_id, responsible, created_at, id)",
  "create index s3_key__by_responsible on s3_key (org_id, responsible, id)",
];
