import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/** Counts the runs of a job that started and did not end, and records when the job was parked. */
export async function jobClaims(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  await tx.schema
    .alterTable("job")
    .addColumn("claims", integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await tx.schema.alterTable("job").addColumn("parked_at", integer).execute();
}
