import { appendAudit } from "#domain/audit/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { auditOrigin, SYSTEM } from "#domain/organizations/index.ts";
import { requireNoDeletionLock } from "#domain/projects/index.ts";
import { auditOf, dropItem, type TrashKindRules, type TrashRow } from "#domain/trash/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { restoreWebhookRow } from "./store.ts";
import type { WebhooksDeps } from "./types.ts";

interface WebhookTrashDeps extends Pick<WebhooksDeps, "metadata" | "clock"> {
  /** Forwards the events that arrived before the deletion. */
  readonly forwardAgain: (tx: Writer, webhookId: string) => Promise<void>;
  /** Makes this node read the addresses again. */
  readonly forget: () => void;
}

/** Webhooks in the trash. A restored webhook has the same addresses, secrets, destinations and events. */
export function webhookTrash(deps: WebhookTrashDeps): TrashKindRules {
  const { metadata, clock } = deps;
  return {
    lock: "webhook",
    restore: async (tx, { object_id: id, org_id: orgId }) => {
      await enforceRecordLimit(metadata, tx, "webhooks_max", orgId);
      await restoreWebhookRow(tx, id, clock.nowMs());
      await deps.forwardAgain(tx, id);
    },
    restored: async () => deps.forget(),
    beforePurge: requireNoDeletionLock,
    end: (item) => endWebhook(deps, item),
  };
}

/** Without its item, the webhook is deleted with its events by the job that deletes old events. */
async function endWebhook(deps: Pick<WebhooksDeps, "metadata" | "clock">, item: TrashRow): Promise<boolean> {
  await deps.metadata.write(async (tx) => {
    if (!(await dropItem(tx, item.id))) return;
    await appendAudit(deps, tx, auditOf(auditOrigin(SYSTEM), "end", item));
  });
  return true;
}
