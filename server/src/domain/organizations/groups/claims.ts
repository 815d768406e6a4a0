import { appendAudit } from "#domain/audit/index.ts";
import { hasPassed } from "#kernel/time.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { OrganizationsDeps } from "../caller.ts";
import { announceAccessChange } from "../change.ts";
import { claimedGroups, deleteGroupMemberRows, putGroupMemberRow } from "./store.ts";

/** A membership from a claim lapses after this time without a sign-in, because only a sign-in shows a removal. */
const LAPSES_AFTER_MS = 7 * 86_400_000;

/**
 * Makes a person a member of the groups that the claim of the provider names, and of no other group with a claim. It
 * changes no membership made by hand. Call it in the transaction of the sign-in.
 * @param claimed the values of the claim. Null: the provider sent none, or not all, so nothing changes
 */
export async function applyClaimedGroups(
  deps: OrganizationsDeps,
  tx: Writer,
  userId: string,
  claimed: readonly string[] | null,
): Promise<void> {
  if (claimed === null) return;
  const values = new Set(claimed);
  const at = deps.clock.nowMs();
  const changes = new Map<string, { added: string[]; removed: string[] }>();
  for (const { id, org_id: orgId, slug, claim, member, until } of await claimedGroups(tx, userId)) {
    const isNamed = claim !== null && values.has(claim);
    if (!isNamed && member === null) continue;
    const row = { org_id: orgId, group_id: id, user_id: userId, source: "oidc" as const };
    if (isNamed) await putGroupMemberRow(tx, { ...row, expires_at: at + LAPSES_AFTER_MS, created_at: at });
    else await deleteGroupMemberRows(tx, { groupId: id, userId, source: "oidc" });
    const wasMember = member !== null && !hasPassed(until, at);
    if (isNamed === wasMember) continue;
    const change = changes.get(orgId) ?? { added: [], removed: [] };
    change[isNamed ? "added" : "removed"].push(slug);
    changes.set(orgId, change);
  }
  for (const [orgId, detail] of changes) {
    await announceAccessChange(deps, tx, orgId);
    await appendAudit(deps, tx, {
      orgId,
      actor: { kind: "system", id: null },
      action: "group.member.claim",
      target: { kind: "user", id: userId },
      result: "success",
      detail: { ...detail },
      ip: null,
      requestId: null,
    });
  }
}
