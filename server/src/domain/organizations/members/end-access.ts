import { appendAudit } from "#domain/audit/index.ts";
import { absent, endPersonalTokens } from "#domain/identity/index.ts";
import { auditOrigin, grantorOf, type Caller, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { requireMayChange } from "./rules.ts";
import { endSignIns, findMember } from "./store.ts";

/** The result of ending a person's access. */
export interface EndedAccess {
  readonly validAfterMs: number;
  readonly logins: number;
  readonly personalTokens: number;
}

/**
 * Ends every sign-in of a member in the organization: sessions are refused until the person signs in again, and logins
 * and personal access tokens end. The sessions themselves belong to the person, so they stay for other organizations.
 * @throws Problem `not_found`, `forbidden` (an owner, by another role)
 */
export async function endMemberAccess(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  userId: string,
): Promise<EndedAccess> {
  return changeOrganization(deps, orgId, async (tx) => {
    const member = await findMember(tx, orgId, userId);
    if (member === undefined) throw absent();
    const nowMs = deps.clock.nowMs();
    requireMayChange(await grantorOf(tx, caller, orgId, nowMs), member.role);
    const validAfterMs = Math.max(nowMs, member.valid_after ?? 0);
    const logins = await endSignIns(tx, orgId, userId, validAfterMs);
    const personalTokens = await endPersonalTokens(deps, tx, orgId, userId);
    await announceAccessChange(deps, tx, orgId);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "member.end_access",
      target: { kind: "user", id: userId },
      detail: { logins, personal_tokens: personalTokens },
    });
    return { validAfterMs, logins, personalTokens };
  });
}
