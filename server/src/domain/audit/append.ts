import { newId } from "#kernel/ids.ts";
import { withoutSecrets } from "#kernel/secrets.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { GENESIS_HASH, INSTANCE_CHAIN, hashOf, type AuditEvent, type AuditRow } from "./event.ts";
import { commitmentOf, splitPersonal } from "./personal.ts";
import { findHead, insertRow } from "./store.ts";

export interface AuditDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
}

/**
 * Appends the event to its organization's chain in the caller's transaction, so that the change and its entry are one
 * commit. Call it last in the transaction: in PostgreSQL it blocks other appends of the same organization until the
 * commit.
 */
export async function appendAudit(
  deps: { readonly metadata: Pick<MetadataStore, "lock">; readonly clock: Clock },
  tx: Writer,
  event: AuditEvent,
): Promise<void> {
  const orgId = event.orgId ?? INSTANCE_CHAIN;
  await deps.metadata.lock(tx, `audit:${orgId}`);
  const head = await findHead(tx, orgId);
  const at = deps.clock.nowMs();
  const { via } = event.actor;
  const fields = {
    actor_kind: event.actor.kind,
    actor_id: event.actor.id,
    action: event.action,
    target_kind: event.target?.kind ?? null,
    target_id: event.target?.id ?? null,
    ip: event.ip ?? null,
  };
  const detail = withoutSecrets(JSON.stringify({ ...(via === undefined ? {} : { via }), ...event.detail }));
  const split = splitPersonal(fields, detail);
  const hasParts = split.parts.length > 0;
  const row: Omit<AuditRow, "hash"> = {
    org_id: orgId,
    seq: (head?.seq ?? 0) + 1,
    id: newId("aud", at),
    at,
    ...fields,
    ip: split.ip,
    result: event.result,
    request_id: event.requestId ?? null,
    detail: split.detail,
    prev_hash: head?.hash ?? GENESIS_HASH,
    commitments: hasParts ? JSON.stringify(split.parts.map(commitmentOf)) : null,
    personal: hasParts ? JSON.stringify(split.parts) : null,
  };
  insertRow(tx, { ...row, hash: hashOf(row) });
}
