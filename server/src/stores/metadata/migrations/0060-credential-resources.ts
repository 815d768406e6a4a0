import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/** Adds the resources to which a credential or S3 key is limited. Older ones stay without such a limit. */
export async function credentialResources(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  for (const table of ["credential", "s3_key"])
    await tx.schema.alterTable(table).addColumn("resources", text).execute();
}
