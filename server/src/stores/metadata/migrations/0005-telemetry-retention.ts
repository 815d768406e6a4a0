import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Creates the tables of telemetry retention, quotas and erasures. */
export async function telemetryRetention(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const make = tableMaker(tx, dialect);
  await make("telemetry_policy", {
    columns: {
      org_id: "text",
      retention_days_logs: "integer?",
      retention_days_metrics: "integer?",
      retention_days_traces: "integer?",
      stored_bytes_max: "integer?",
      ingest_bytes_per_second: "integer?",
      ingest_bytes_burst: "integer?",
      revision: "integer",
      updated_at: "integer",
    },
    primaryKey: ["org_id"],
    unique: [["revision"]],
  });
  await make("telemetry_store", {
    columns: { id: "text", seen_at: "integer", drops_held_until: "integer?" },
    primaryKey: ["id"],
  });
  await make("telemetry_erasure", {
    columns: {
      id: "text",
      org_id: "text",
      types: "text",
      from_us: "integer?",
      to_us: "integer?",
      match: "text?",
      match_digest: "text",
      created_by: "text",
      created_at: "integer",
      finished_at: "integer?",
    },
    primaryKey: ["id"],
    indexes: [["org_id", "id"]],
  });
  await make("telemetry_erasure_part", {
    columns: {
      erasure_id: "text",
      store_id: "text",
      state: "text",
      rows_erased: "integer",
      files_rewritten: "integer",
      quarantined: "text",
      detail: "text?",
      finished_at: "integer?",
    },
    primaryKey: ["erasure_id", "store_id"],
    indexes: [["store_id", "state"]],
    references: { erasure_id: "telemetry_erasure" },
  });
}
