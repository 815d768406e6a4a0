import type { Writer } from "../types.ts";

/** Events were kept here for readers that never came. */
export async function noOutbox(tx: Writer): Promise<void> {
  await tx.schema.dropTable("event_outbox").execute();
}
