import type { MetadataStore, Writer } from "../types.ts";
import { TYPES } from "./tables.ts";

/** Adds the settings of the access log. */
export async function accessLog(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const { integer, text } = TYPES[dialect];
  const columns = { retention_days_access_log: integer, access_log_mode: text, access_log_sample: integer };
  for (const [name, type] of Object.entries(columns))
    await tx.schema.alterTable("telemetry_policy").addColumn(name, type).execute();
}
