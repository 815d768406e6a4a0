import type { Writer } from "../types.ts";

/** Adds the rules of retention, and the earlier retention that still counts for some days. */
export async function retentionRules(tx: Writer): Promise<void> {
  for (const column of ["retention_rules", "retention_before"]) {
    await tx.schema.alterTable("telemetry_policy").addColumn(column, "text").execute();
  }
}
