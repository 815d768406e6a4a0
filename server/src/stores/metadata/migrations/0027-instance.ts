import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/** Adds the result of sending an invitation by mail. */
export async function instance(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const postgres = dialect === "postgres";
  await tx.schema
    .alterTable("invitation")
    .addColumn("email_sent_at", postgres ? sql`bigint` : sql`integer`)
    .execute();
  await tx.schema
    .alterTable("invitation")
    .addColumn("email_failure", postgres ? sql`text collate "C"` : sql`text`)
    .execute();
}
