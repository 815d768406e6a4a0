import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Records which telemetry directories have a server now, and the organizations with rows in each. */
export async function telemetryNodes(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const make = tableMaker(tx, dialect);
  await make("telemetry_node", {
    columns: { store_id: "text", beat_at: "integer?", given_up_at: "integer?" },
    primaryKey: ["store_id"],
  });
  await make("telemetry_holding", {
    columns: { store_id: "text", org_id: "text" },
    primaryKey: ["store_id", "org_id"],
    indexes: [["org_id"]],
  });
  await sql`insert into telemetry_holding (store_id, org_id) select distinct store_id, org_id from telemetry_progress`.execute(
    tx,
  );
}
