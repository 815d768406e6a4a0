import type { MetadataStore, Writer } from "../types.ts";
import { TYPES } from "./tables.ts";

/** Adds the settings of the query log. */
export async function queryLog(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const { integer, text } = TYPES[dialect];
  for (const [name, type] of Object.entries({ retention_days_query_log: integer, query_log_mode: text }))
    await tx.schema.alterTable("telemetry_policy").addColumn(name, type).execute();
}
