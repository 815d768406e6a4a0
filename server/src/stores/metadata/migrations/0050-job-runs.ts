import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/** Adds when a job that repeats last ran, and how long the run took. */
export async function jobRuns(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  for (const name of ["ran_at", "ran_ms"]) await tx.schema.alterTable("job").addColumn(name, integer).execute();
}
