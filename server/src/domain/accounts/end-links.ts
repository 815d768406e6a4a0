import { appendAudit } from "#domain/audit/index.ts";
import type { AccountsDeps } from "./deps.ts";
import { endEveryLink } from "./store.ts";

/**
 * Ends every open link. A restored backup has open links that were used or revoked after the backup. Returns the number
 * of each kind.
 */
export async function endOpenLinks(deps: AccountsDeps): Promise<Record<string, number>> {
  return deps.metadata.write(async (tx) => {
    const ended = await endEveryLink(tx, deps.clock.nowMs());
    await appendAudit(deps, tx, {
      orgId: null,
      actor: { kind: "system", id: null },
      action: "link.end_all",
      target: { kind: "instance", id: "links" },
      result: "success",
      ip: null,
      requestId: null,
      detail: ended,
    });
    return ended;
  });
}
