import type { Writer } from "../types.ts";

/** Deletes a table of events that nothing read. */
export async function noOutbox(tx: Writer): Promise<void> {
  await tx.schema.dropTable("event_outbox").execute();
}
