import { sendSoon } from "#domain/delivery/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { AlertEventType } from "./model.ts";
import { insertDelivery, type DeliveryRow } from "./store.ts";

/**
 * Puts a message into the queue, in the transaction of the change that it reports. So both are committed, or neither.
 */
export async function enqueue(
  jobs: Jobs,
  tx: Writer,
  message: {
    readonly alertId: string;
    readonly orgId: string;
    readonly seq: number;
    readonly type: AlertEventType;
    readonly body: string;
    readonly atMs: number;
  },
): Promise<DeliveryRow> {
  const { alertId, orgId, seq, type, body, atMs } = message;
  const row: DeliveryRow = {
    id: newId("msg", atMs),
    alert_id: alertId,
    org_id: orgId,
    seq,
    type,
    body,
    state: "pending",
    attempts: 0,
    created_at: atMs,
    next_attempt_at: atMs,
    last_attempt_at: null,
    last_status: null,
    last_error: null,
  };
  await insertDelivery(tx, row);
  await sendSoon(jobs, tx, "alert", { orgId, ids: [row.id], atMs });
  return row;
}
