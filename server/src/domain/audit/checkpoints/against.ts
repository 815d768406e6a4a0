import type { MetadataStore } from "#stores/metadata/index.ts";
import { newestCut } from "../cut.ts";
import { INSTANCE_CHAIN } from "../event.ts";
import { hashesAt } from "../store.ts";
import type { Checkpoint } from "./note.ts";

/**
 * The result of the comparison of one checkpoint with the log. `same`: the log has this entry. `deleted`: the entry was
 * deleted after its retention, so nothing can be said. `missing`: the log is shorter. `differs`: the entry, or one before
 * it, was rewritten.
 */
export type Compared = "same" | "deleted" | "missing" | "differs";

/**
 * Compares checkpoints with a log. A log without another fault (`verifyAudit`) whose entries have these hashes is the
 * log that was signed: each hash covers all entries before.
 */
export async function compareCheckpoints(
  { metadata: { read } }: { readonly metadata: Pick<MetadataStore, "read"> },
  orgId: string | null,
  checkpoints: readonly Checkpoint[],
): Promise<Compared[]> {
  const chain = orgId ?? INSTANCE_CHAIN;
  const cut = await newestCut(read, chain);
  const sizes = [...new Set(checkpoints.map(({ size }) => size))];
  const hashes = await hashesAt(read, chain, sizes);
  if (cut !== undefined) hashes.set(cut.toSeq, cut.hash);
  return checkpoints.map(({ size, root }) => {
    const hash = hashes.get(size);
    if (hash !== undefined) return hash === root ? "same" : "differs";
    return cut !== undefined && size < cut.toSeq ? "deleted" : "missing";
  });
}
