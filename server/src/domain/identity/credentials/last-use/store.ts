import { recordTrustUse } from "#domain/identity/federation/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { recordFormerUse } from "../former/store.ts";
import { tableOf } from "../kinds.ts";
import { anyTable } from "../store.ts";

export interface Usage {
  readonly credentialId: string;
  readonly atMs: number;
  readonly ip: string | null;
  /** The last use of each secret. */
  readonly secrets: ReadonlyMap<string, number>;
  /** The last use of each trust, with the subject. */
  readonly trusts: ReadonlyMap<string, { readonly atMs: number; readonly subject: string }>;
}

/** Records uses. Other nodes report too, so a time is only replaced by a later one. */
export async function recordUsage(tx: Writer, usage: Usage): Promise<void> {
  await tx
    .updateTable(anyTable(tableOf(usage.credentialId)))
    .set({ last_used_at: usage.atMs, ...(usage.ip === null ? {} : { last_used_ip: usage.ip }) })
    .where("id", "=", usage.credentialId)
    .where((row) => row.or([row("last_used_at", "is", null), row("last_used_at", "<", usage.atMs)]))
    .execute();
  for (const [secretId, atMs] of usage.secrets) {
    if (tableOf(usage.credentialId) === "s3_key") await recordFormerUse(tx, secretId, atMs);
    else await tx.updateTable("credential_secret").set({ last_used_at: atMs }).where("id", "=", secretId).execute();
  }
  for (const [trustId, use] of usage.trusts) await recordTrustUse(tx, { trustId, ...use });
}
