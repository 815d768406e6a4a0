import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { deleteQuota, putQuota, quotasOf, type TargetScope } from "./store.ts";

export interface QuotaTarget {
  readonly orgId: string;
  readonly scope: TargetScope;
  readonly id: string;
}

/** The changeable part of a quota. Its version is made of it. */
export interface QuotaSetting {
  /** Null: no quota. */
  readonly max_bytes: number | null;
}

export async function quotaSetting(db: Reader, { orgId, scope, id }: QuotaTarget): Promise<QuotaSetting> {
  const rows = await quotasOf(db, orgId, [id]);
  return { max_bytes: rows.find((row) => row.scope === scope)?.bytes_max ?? null };
}

/** Sets or removes a quota. @throws Problem `concurrent_update` */
export async function changeQuota(
  deps: { readonly metadata: MetadataStore; readonly clock: Clock },
  by: Pick<AuditEvent, "actor" | "ip" | "requestId">,
  target: QuotaTarget,
  { change, ifMatch }: { readonly change: QuotaSetting; readonly ifMatch?: string | undefined },
): Promise<QuotaSetting> {
  const { metadata, clock } = deps;
  const { orgId, scope, id } = target;
  const expected = await expectedOf(ifMatch, () => quotaSetting(metadata.read, target));
  await metadata.write(async (tx) => {
    await metadata.lock(tx, `quota:${scope}:${id}`);
    const before = await quotaSetting(tx, target);
    requireMatch(expected, before);
    const row = { org_id: orgId, scope, target_id: id };
    if (change.max_bytes === null) await deleteQuota(tx, row);
    else await putQuota(tx, { ...row, bytes_max: change.max_bytes, updated_at: clock.nowMs() });
    await appendAudit(deps, tx, {
      ...by,
      orgId,
      result: "success",
      action: `${scope}.quota.update`,
      target: { kind: scope === "bucket" ? "app" : scope, id },
      detail: { before, after: change },
    });
  });
  return change;
}
