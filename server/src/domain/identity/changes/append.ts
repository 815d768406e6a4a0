import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { insertChange, lastAccessChange, type ChangeKind } from "./store.ts";

export interface AuthChange {
  /**
   * What changed. `credential`: its permissions, secrets or state. `organization`: its policy, token lifetime, roles, or
   * the visibility of projects. `token`: one access token became void. `key`: the set of signing keys.
   */
  readonly kind: ChangeKind;
  /** The id of the credential or organization, `jti` of the token, or `kid` of the key. */
  readonly subject: string;
  /** The credential's epoch after the change. */
  readonly epoch?: number;
  /** The token's expiry. The row is kept until then, for nodes that start later. */
  readonly expiresAtMs?: number;
}

/**
 * Announces a change to every node, in the same transaction, so that nodes drop what they cached about the subject.
 * Call it before `appendAudit`, so that all transactions take the two locks in the same order. Returns the number of
 * the change in the feed.
 */
export async function appendAuthChange(
  deps: { readonly metadata: Pick<MetadataStore, "lock" | "notify">; readonly clock: Clock },
  tx: Writer,
  change: AuthChange,
): Promise<number> {
  // Because of the lock, transactions commit in the order of their numbers. So a node that has read number n has read
  // all earlier ones.
  await deps.metadata.lock(tx, "auth_change");
  const seq = (await lastAccessChange(tx)) + 1;
  await insertChange(tx, {
    seq,
    kind: change.kind,
    subject: change.subject,
    epoch: change.epoch ?? 0,
    at: deps.clock.nowMs(),
    expires_at: change.expiresAtMs ?? null,
  });
  await deps.metadata.notify(tx, "auth_change");
  return seq;
}
