import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { AccountsDeps, Origin } from "./deps.ts";
import { organizationIdsOf } from "./store.ts";

/**
 * Writes an event of a person's account to the audit log of each of their organizations, because the account belongs to
 * none of them. The actor is the person, unless `actor` is given. Call it last in the transaction, like `appendAudit`.
 */
export async function auditPerson(
  deps: Pick<AccountsDeps, "metadata" | "clock">,
  tx: Writer,
  userId: string,
  event: Pick<AuditEvent, "action" | "detail"> & {
    readonly origin: Origin;
    readonly target?: AuditEvent["target"];
    readonly actor?: AuditEvent["actor"];
  },
): Promise<void> {
  const orgIds = await organizationIdsOf(tx, userId);
  const { ip, requestId } = event.origin;
  for (const orgId of orgIds.length === 0 ? [null] : orgIds) {
    await appendAudit(deps, tx, {
      orgId,
      actor: event.actor ?? { kind: "person", id: userId },
      action: event.action,
      target: event.target ?? { kind: "user", id: userId },
      result: "success",
      ip,
      requestId,
      ...(event.detail === undefined ? {} : { detail: event.detail }),
    });
  }
}
