import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import { quotasOf, usedBy, type QuotaRow, type QuotaScope } from "./store.ts";

/** The objects that hold bytes: a project, and in it a bucket or a webhook. */
export interface Place {
  readonly orgId: string;
  /** Null: the organization itself. */
  readonly projectId: string | null;
  readonly bucketId?: string;
  readonly webhookId?: string;
}

/** A quota that bytes do not fit into. */
export interface Shortage {
  readonly scope: QuotaScope;
  readonly targetId: string;
  readonly used: number;
  readonly max: number;
}

/** The order in which quotas are locked, so that no two transactions wait for each other. */
const ORDER: readonly QuotaScope[] = ["organization", "project", "bucket", "webhook"];

/**
 * Checks the quotas of the project, bucket and webhook. With `tx`, the transaction that counts the bytes, other
 * transactions with the same quotas wait until it ends. So the quota is exact on all nodes.
 * @throws the error of `refusal`
 */
export async function requireScopes(
  metadata: Pick<MetadataStore, "read" | "lock">,
  tx: Writer | undefined,
  {
    place,
    bytes,
    refusal,
  }: { readonly place: Place; readonly bytes: number; readonly refusal: (shortage: Shortage) => Error },
): Promise<void> {
  if (bytes <= 0) return;
  const quotas = await quotasIn(metadata.read, place);
  if (quotas.length === 0) return;
  if (tx !== undefined) await metadata.lock(tx, ...quotas.map(({ scope, target_id: id }) => `quota:${scope}:${id}`));
  const shortage = await shortageOf(tx ?? metadata.read, quotas, bytes);
  if (shortage !== undefined) throw refusal(shortage);
}

/** Returns the quotas of a place, in the order of locks. */
async function quotasIn(db: Reader, { orgId, projectId, bucketId, webhookId }: Place): Promise<QuotaRow[]> {
  const ids = { organization: orgId, project: projectId, bucket: bucketId, webhook: webhookId };
  const known = Object.values(ids).filter((id) => id !== null && id !== undefined);
  const rows = await quotasOf(db, orgId, known);
  return ORDER.flatMap((scope) => rows.filter((row) => row.scope === scope && row.target_id === ids[scope]));
}

async function shortageOf(db: Reader, quotas: readonly QuotaRow[], bytes: number): Promise<Shortage | undefined> {
  for (const row of quotas) {
    const used = await usedBy(db, row);
    if (used + bytes > row.bytes_max) return { scope: row.scope, targetId: row.target_id, used, max: row.bytes_max };
  }
  return undefined;
}

/** Describes a shortage for the sender, with the people who may raise the quota. */
export function shortageText({ scope, used, max }: Shortage): string {
  const whom = scope === "organization" ? "the operator of the server" : "an owner or admin of the organization";
  return `The quota of the ${scope} is used up: ${used} of ${max} bytes are used. Delete data, or ask ${whom} for a larger quota.`;
}

/** The limit, for explanations of the refusal. */
export function limitOfShortage({ scope, used, max }: Shortage) {
  return { limit: { name: `quota of the ${scope}`, max, value: used, untilMs: null } };
}
