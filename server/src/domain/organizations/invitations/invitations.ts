import { kept } from "#domain/idempotency/index.ts";
import type { MemberRole } from "@mooring/contract";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { newSecret } from "#kernel/secrets.ts";
import { hasPassed } from "#kernel/time.ts";
import { auditOrigin, grantorOf, type Caller, type OrganizationsDeps } from "../caller.ts";
import { absent, nameOfRole } from "#domain/identity/index.ts";
import { changeOrganization } from "../change.ts";
import { listPage, type Page, type PageQuery } from "../pages.ts";
import { endDetail, requireEnd, requireWithinEnd } from "../members/ends.ts";
import { requireMayGrant } from "../members/rules.ts";
import { findMemberByEmail } from "../members/store.ts";
import { givenRole, type WantedRole } from "../roles/given.ts";
import {
  closeInvitation,
  insertInvitation,
  invitationById,
  listInvitationRows,
  pendingFor,
  renewInvitationRow,
  setMailedToken,
  type Invitation,
} from "./store.ts";

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

export type InvitationStatus = "pending" | "accepted" | "revoked" | "expired";

export function statusOf(invitation: Invitation, nowMs: number): InvitationStatus {
  if (invitation.accepted_at !== null) return "accepted";
  if (invitation.revoked_at !== null) return "revoked";
  return invitation.expires_at <= nowMs ? "expired" : "pending";
}

/** Lists invitations, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listInvitations(
  deps: Pick<OrganizationsDeps, "metadata">,
  orgId: string,
  page: PageQuery,
): Promise<Page<Invitation>> {
  return listPage(
    page,
    (wanted) => listInvitationRows(deps.metadata.read, orgId, wanted),
    (row) => row.id,
  );
}

export interface MadeInvitation {
  readonly invitation: Invitation;
  /** Shown only now. */
  readonly token: string;
}

/**
 * Invites a person. Only a hash of the token is stored, so the token can be shown only now.
 * @throws Problem `forbidden` (a role with permissions that the caller lacks), `conflict` (already a member, already
 * invited)
 */
export async function invite(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  input: WantedRole<MemberRole> & { email: string; membershipEndsAtMs?: number | null },
): Promise<MadeInvitation> {
  const email = input.email.toLowerCase();
  const token = newSecret("mriv");
  return changeOrganization(deps, orgId, async (tx) => {
    const at = deps.clock.nowMs();
    const { membershipEndsAtMs: endMs = null } = input;
    const grantor = await grantorOf(tx, caller, orgId, at);
    const role = await givenRole(tx, orgId, "organization", input);
    requireMayGrant(grantor, role);
    requireEnd(endMs, at, "/membership_expires_at");
    requireWithinEnd(grantor.endsAtMs, endMs);
    const member = await findMemberByEmail(tx, orgId, email);
    if (member !== undefined && !hasPassed(member.expires_at, at)) {
      throw new Problem("conflict", "This person is already a member. Change their role instead.");
    }
    if ((await pendingFor(tx, orgId, email, at)) !== undefined) {
      throw new Problem("conflict", "This person is already invited. Revoke that invitation to create a new one.");
    }
    const row: Invitation = {
      id: newId("inv", at),
      org_id: orgId,
      email,
      ...role,
      token_hash: sha256Hex(token),
      mailed_token_hash: null,
      invited_by: inviterOf(caller),
      created_at: at,
      expires_at: at + LIFETIME_MS,
      membership_expires_at: endMs,
      accepted_at: null,
      revoked_at: null,
      email_sent_at: null,
      email_failure: null,
    };
    await enforceRecordLimit(deps.metadata, tx, "invitations_max", orgId);
    await insertInvitation(tx, row);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "invitation.create",
      target: { kind: "invitation", id: row.id },
      detail: { email, role: nameOfRole(row), ...endDetail(null, endMs) },
    });
    return kept(tx, { invitation: row, token });
  });
}

/**
 * Creates a new link for an invitation that is open or has expired, valid for seven days from now. The old link ends.
 * The caller becomes the inviter.
 * @throws Problem `not_found`, `forbidden` (more permissions than the caller has), `conflict` (accepted, revoked, or
 * invited again since)
 */
export async function renewInvitation(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  id: string,
): Promise<{ invitation: Invitation; token: string }> {
  const token = newSecret("mriv");
  const invitation = await changeOrganization(deps, orgId, async (tx) => {
    const present = await invitationById(tx, orgId, id);
    if (present === undefined) throw absent();
    const at = deps.clock.nowMs();
    const status = statusOf(present, at);
    if (status === "accepted" || status === "revoked")
      throw new Problem("conflict", `The invitation was ${status}. Invite the person again.`);
    const grantor = await grantorOf(tx, caller, orgId, at);
    requireMayGrant(grantor, present);
    requireWithinEnd(grantor.endsAtMs, present.membership_expires_at);
    if (hasPassed(present.membership_expires_at, at))
      throw new Problem("conflict", "The membership would have ended already. Invite the person again.");
    if (status === "expired" && (await pendingFor(tx, orgId, present.email, at)) !== undefined)
      throw new Problem("conflict", "There is a newer invitation for this person.");
    const change = {
      token_hash: sha256Hex(token),
      mailed_token_hash: null,
      expires_at: at + LIFETIME_MS,
      invited_by: inviterOf(caller),
      email_sent_at: null,
      email_failure: null,
    };
    await renewInvitationRow(tx, present, change);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "invitation.renew",
      target: { kind: "invitation", id },
      detail: { email: present.email, role: nameOfRole(present) },
    });
    return { ...present, ...change };
  });
  return { invitation, token };
}

/**
 * Creates a second link for the same invitation, which is only mailed. Using it proves access to the mailbox. The other
 * link proves nothing, because the inviter sees it.
 */
export async function createMailedToken(deps: OrganizationsDeps, invitation: Invitation): Promise<string> {
  const token = newSecret("mriv");
  await deps.metadata.write((tx) => setMailedToken(tx, invitation, sha256Hex(token)));
  return token;
}

/** Returns the invitation with the result of its mail, which is already stored. */
export function invitationMailed(
  deps: Pick<OrganizationsDeps, "clock">,
  invitation: Invitation,
  { failure }: { readonly failure: string | null },
): Invitation {
  return { ...invitation, email_sent_at: failure === null ? deps.clock.nowMs() : null, email_failure: failure };
}

function inviterOf({ principal }: Caller): string {
  return principal.kind === "system" ? "system" : principal.id;
}

/** Revokes an invitation. Revoking it again succeeds. @throws Problem `not_found`, `conflict` (already accepted) */
export async function revokeInvitation(
  deps: OrganizationsDeps,
  caller: Caller,
  orgId: string,
  id: string,
): Promise<void> {
  await changeOrganization(deps, orgId, async (tx) => {
    const invitation = await invitationById(tx, orgId, id);
    if (invitation === undefined) throw absent();
    if (invitation.accepted_at !== null)
      throw new Problem("conflict", "The invitation was accepted. Remove the member instead.");
    if (invitation.revoked_at !== null) return;
    await closeInvitation(tx, invitation, { revoked_at: deps.clock.nowMs() });
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "invitation.revoke",
      target: { kind: "invitation", id },
      detail: { email: invitation.email, role: nameOfRole(invitation) },
    });
  });
}
