import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/**
 * Adds the project of its credential to each trust, so that a project's trusts are one range of an index. Deletes
 * trusts of revoked credentials, because no list shows them.
 */
export async function trustProjects(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  await tx.schema.alterTable("credential_trust").addColumn("project_id", text).execute();
  await sql`delete from credential_trust
    where credential_id in (select id from credential where revoked_at is not null)`.execute(tx);
  await sql`update credential_trust
    set project_id = (select c.project_id from credential as c where c.id = credential_trust.credential_id)`.execute(
    tx,
  );
  await tx.schema
    .createIndex("credential_trust__project_id__created_at__id__index")
    .on("credential_trust")
    .columns(["project_id", "created_at", "id"])
    .execute();
}
