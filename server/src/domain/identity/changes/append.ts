import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { insertChange, lastAccessChange, type ChangeKind } from "./store.ts";

export interface AuthChange {
  /**
   * `credential`: its permissions, secrets or state. `organization`: its policy, token lifetime, members' or projects'
   * roles or visibility. `token`: one access token is void. `key`: the set of signing keys.
   */
  readonly kind: ChangeKind;
  /** Id of the credential or organization, `jti` of the token, `kid` of the key. */
  readonly subject: string;
  /** The credential's epoch after the change. */
  readonly epoch?: number;
  /** The row must be kept until then, for nodes that start later: the token's expiry. */
  readonly expiresAtMs?: number;
}

/**
 * Tells every node, in the transaction of the change itself, to forget what it knows about the subject. Call it before
 * `appendAudit`, so that all transactions take the two locks in one order. Returns the number of the change in the feed.
 */
export async function appendAuthChange(
  deps: { readonly metadata: Pick<MetadataStore, "lock" | "notify">; readonly clock: Clock },
  tx: Writer,
  change: AuthChange,
): Promise<number> {
  // Numbers are given out under a lock, so that their order is the order of commits: a node that has read n has read all before.
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
