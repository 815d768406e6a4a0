import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type ConsumerRow = Tables["webhook_consumer"];

export async function consumerByName(db: Reader, webhookId: string, name: string): Promise<ConsumerRow | undefined> {
  const query = db.selectFrom("webhook_consumer").selectAll().where("webhook_id", "=", webhookId);
  return query.where("name", "=", name).executeTakeFirst();
}

export async function consumerRows(db: Reader, webhookId: string): Promise<ConsumerRow[]> {
  const query = db.selectFrom("webhook_consumer").selectAll().where("webhook_id", "=", webhookId);
  return query.orderBy("name").execute();
}

export async function insertConsumer(tx: Writer, row: ConsumerRow): Promise<void> {
  await tx.insertInto("webhook_consumer").values(row).execute();
}

export async function setConsumer(
  tx: Writer,
  { webhook_id, name }: Pick<ConsumerRow, "webhook_id" | "name">,
  set: Partial<ConsumerRow>,
): Promise<void> {
  const update = tx.updateTable("webhook_consumer").set(set).where("webhook_id", "=", webhook_id);
  await update.where("name", "=", name).execute();
}

export async function deleteConsumerRow(tx: Writer, webhookId: string, name: string): Promise<boolean> {
  const rows = await tx
    .deleteFrom("webhook_consumer")
    .where("webhook_id", "=", webhookId)
    .where("name", "=", name)
    .returning("name")
    .execute();
  return rows.length > 0;
}
