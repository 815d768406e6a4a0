import { Problem } from "#kernel/problem.ts";
import { RECORD_LIMITS, type RecordLimit } from "#kernel/record-limits.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { countUpTo } from "./store.ts";

/**
 * Refuses to create one more record when the owner has as many as the limit allows. Call it in the transaction that
 * creates the record, before the insert. It takes a lock, so that transactions that create records of one owner run one
 * after another.
 * @param owner id of the organization, person or project that owns the records; empty for the server
 * @throws Problem `limit_reached`
 */
export async function enforceRecordLimit(
  metadata: Pick<MetadataStore, "limits" | "lock">,
  tx: Writer,
  limit: RecordLimit,
  owner: string,
): Promise<void> {
  const most = metadata.limits[limit];
  await metadata.lock(tx, `limit:${limit}:${owner}`);
  if ((await countUpTo(tx, limit, owner, most)) < most) return;
  const detail =
    `There are ${most} ${RECORD_LIMITS[limit].of} already, which is the limit. ` +
    `Delete one that is not needed, or ask the operator to raise the setting ${limit}.`;
  const facts = () => ({ limit: { name: limit, max: most, value: most, untilMs: null } });
  throw new Problem("limit_reached", detail, { facts });
}
