import type { Cutoff } from "#kernel/deletions.ts";
import type { Writer } from "#stores/metadata/index.ts";

export async function deleteCompletedUploads(tx: Writer, beforeMs: Cutoff): Promise<void> {
  await tx.deleteFrom("s3_upload").where("completed_at", "<", beforeMs).execute();
}

export async function deleteDeadDeliveries(tx: Writer, beforeMs: Cutoff): Promise<void> {
  await tx.deleteFrom("s3_delivery").where("state", "=", "dead").where("created_at", "<", beforeMs).execute();
}
