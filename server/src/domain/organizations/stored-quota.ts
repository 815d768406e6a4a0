import { appendAudit } from "#domain/audit/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import { auditOrigin, type Caller } from "./caller.ts";

/** Stands for no limit where null stands for the server's default. */
export const NO_LIMIT = Number.MAX_SAFE_INTEGER;

interface StoredPolicy {
  readonly org_id: string;
  readonly stored_bytes_max: number | null;
  readonly updated_at: number;
}

/** What an organization may store of one kind, where the operator decided on it; the rows are each kind's own. */
export interface StoredQuota {
  /** In the audit log. */
  readonly action: string;
  readonly find: (db: Reader, orgId: string) => Promise<StoredPolicy | undefined>;
  readonly put: (tx: Writer, row: StoredPolicy) => Promise<void>;
}

/** Sets it; null: the server's default. For the operator alone: an organization can't give itself more. */
export async function setStoredQuota(
  deps: { readonly metadata: Pick<MetadataStore, "write" | "lock" | "notify">; readonly clock: Clock },
  caller: Caller,
  { action, find, put }: StoredQuota,
  { orgId, storedBytesMax }: { readonly orgId: string; readonly storedBytesMax: number | null },
): Promise<void> {
  await deps.metadata.write(async (tx) => {
    const before = (await find(tx, orgId))?.stored_bytes_max ?? null;
    await put(tx, { org_id: orgId, stored_bytes_max: storedBytesMax, updated_at: deps.clock.nowMs() });
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action,
      target: { kind: "organization", id: orgId },
      detail: { before: { stored_bytes_max: before }, after: { stored_bytes_max: storedBytesMax } },
    });
  });
}
