import type { Writer } from "../types.ts";

/** Adds how far the times of rows that arrive may be in the past and in the future. */
export async function timestampLimits(tx: Writer): Promise<void> {
  for (const column of ["timestamp_behind_days", "timestamp_ahead_seconds"]) {
    await tx.schema.alterTable("telemetry_policy").addColumn(column, "integer").execute();
  }
}
