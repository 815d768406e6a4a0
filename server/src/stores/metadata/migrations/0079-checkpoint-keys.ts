import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Adds the keys that sign checkpoints of audit logs. */
export async function checkpointKeys(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("checkpoint_key", {
    columns: {
      id: "text",
      public_key: "text",
      private_key: "bytes",
      created_at: "integer",
      retired_at: "integer?",
    },
    primaryKey: ["id"],
  });
}
