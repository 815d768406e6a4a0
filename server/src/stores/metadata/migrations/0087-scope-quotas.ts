import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Adds quotas of projects, buckets and webhooks, and counts the events of each webhook. */
export async function scopeQuotas(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const create = tableMaker(tx, dialect);
  await create("quota", {
    columns: { org_id: "text", scope: "text", target_id: "text", bytes_max: "integer", updated_at: "integer" },
    primaryKey: ["org_id", "scope", "target_id"],
  });
  await tx.schema.alterTable("webhook_usage").renameTo("webhook_usage_before").execute();
  await create("webhook_usage", {
    columns: { org_id: "text", webhook_id: "text", events: "integer", bytes: "integer", purged: "integer" },
    primaryKey: ["org_id", "webhook_id"],
  });
  await sql`insert into webhook_usage (org_id, webhook_id, events, bytes, purged)
    select org_id, '', 0, 0, purged from webhook_usage_before`.execute(tx);
  await sql`insert into webhook_usage (org_id, webhook_id, events, bytes, purged)
    select org_id, webhook_id, count(*), sum(size + length(headers)), 0 from webhook_event group by org_id, webhook_id`.execute(
    tx,
  );
  await tx.schema.dropTable("webhook_usage_before").execute();
}
