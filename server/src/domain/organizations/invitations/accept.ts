import type { MemberRole } from "@mooring/contract";
import { personById, proveAddress, type Ended } from "#domain/accounts/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { isLive, nameOfRole, readState, scopesOfRole } from "#domain/identity/index.ts";
import { readSuspension, requireOrganizationAllows } from "#domain/suspension/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { isId, newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { isWellFormedSecret } from "#kernel/secrets.ts";
import { hasPassed } from "#kernel/time.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import { grantorOfCredential, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { mayGrant } from "../members/rules.ts";
import {
  deleteMembership,
  findRole,
  insertMember,
  insertPersonOrFind,
  personByEmail,
  setPerson,
} from "../members/store.ts";
import { organizationById, type Organization } from "../organization/store.ts";
import { hashPassword, verifyPassword } from "../password.ts";
import { closeInvitation, invitationByToken, type Invitation } from "./store.ts";

type Person = Tables["person"];

export interface Acceptance {
  token: string;
  /** Required for a person without an account. */
  name?: string | undefined;
  password: string;
}

export interface Origin {
  readonly ip: string | null;
  readonly requestId: string | null;
}

export interface Accepted {
  readonly organization: Organization;
  readonly person: Person;
  readonly role: MemberRole;
  /** The link came by mail, and the address was unverified before. */
  readonly isFirstProof: boolean;
  /** Everything that the verification ended. Null: nothing. */
  readonly ended: Ended | null;
}

/**
 * Accepts an invitation with a new account or with the password of the existing one. A mailed link verifies the
 * address. Then an account that somebody created before belongs to the address's owner, with the password given here.
 * @throws Problem `not_found` (unknown, used, revoked and expired alike), `forbidden` (wrong password), `invalid_body`,
 * `conflict`
 */
export async function acceptInvitation(deps: OrganizationsDeps, input: Acceptance, origin: Origin): Promise<Accepted> {
  const tokenHash = invitationHash(input.token);
  const invitation = await open(deps, deps.metadata.read, tokenHash);
  const known = await personByEmail(deps.metadata.read, invitation.email);
  if (known?.verified_at === null && isMailed(invitation, tokenHash))
    return acceptAsVerified(deps, known, { input, tokenHash, invitation }, origin);
  const row =
    known === undefined
      ? await newPerson(deps, input, { email: invitation.email, isProved: isMailed(invitation, tokenHash) })
      : await signedIn(deps, known, { input, origin, invitation });
  return changeOrganization(deps, invitation.org_id, async (tx) => {
    const present = await open(deps, tx, tokenHash);
    const person = await personIn(deps, tx, row, present);
    return { ...(await join(deps, tx, { person, invitation: present, origin })), isFirstProof: false, ended: null };
  });
}

/**
 * Gives the account to the owner of the mailbox: everything that was set up before ends, and the given password is set.
 */
async function acceptAsVerified(
  deps: OrganizationsDeps,
  known: Person,
  given: { readonly input: Acceptance; readonly tokenHash: string | null; readonly invitation: Invitation },
  origin: Origin,
): Promise<Accepted> {
  const { input, tokenHash, invitation } = given;
  if (known.name === "" && input.name === undefined) throw nameless();
  const passwordHash = await hashPassword(input.password);
  return changeOrganization(deps, invitation.org_id, async (tx) => {
    const present = await open(deps, tx, tokenHash);
    if ((await personById(tx, known.id))?.verified_at !== null)
      throw new Problem("conflict", "The address was verified just now. Try again with the password of the account.");
    const ended = await proveAddress(deps, tx, { userId: known.id, by: "mailed_invitation" }, origin);
    await setPerson(tx, known.id, { name: input.name ?? known.name, password_hash: passwordHash });
    await requireNoMember(deps, tx, known, present);
    return { ...(await join(deps, tx, { person: known, invitation: present, origin })), isFirstProof: true, ended };
  });
}

function isMailed(invitation: Invitation, tokenHash: string | null): boolean {
  return tokenHash !== null && invitation.mailed_token_hash === tokenHash;
}

/** Returns the hash of a link's token. Null: the token has the wrong form. */
export function invitationHash(token: string): string | null {
  return isWellFormedSecret("mriv", token) ? sha256Hex(token) : null;
}

/** Returns the organization of an invitation, and whether its address has an account. @throws Problem `not_found` */
export async function openInvitation(
  deps: OrganizationsDeps,
  token: string,
): Promise<{ tokenHash: string | null; organization: string; hasAccount: boolean }> {
  const { read } = deps.metadata;
  const tokenHash = invitationHash(token);
  const { org_id: orgId, email } = await open(deps, read, tokenHash);
  const organization = (await organizationById(read, orgId))?.slug ?? "";
  return { tokenHash, organization, hasAccount: (await personByEmail(read, email)) !== undefined };
}

/**
 * Accepts an invitation for a person who proved their identity without a password: with their session, or at a provider
 * that verified the address. A new person gets an account without a password. `bySession`: the person
 * has a session. Then a mailed link may verify the address for the first time. A provider has already verified it.
 * @param tokenHash from `invitationHash`
 * @throws Problem `not_found`, `forbidden` (it is for another address), `conflict` (already a member)
 */
export async function acceptInvitationAs(
  deps: OrganizationsDeps,
  tokenHash: string | null,
  who: { readonly email: string; readonly name: string; readonly bySession: boolean },
  origin: Origin,
): Promise<Accepted> {
  const invitation = await open(deps, deps.metadata.read, tokenHash);
  if (invitation.email !== who.email) {
    await auditDenied(deps, invitation, origin);
    throw new Problem(
      "forbidden",
      "This invitation is for another e-mail address than that of your account. Sign in with the invited address.",
    );
  }
  const { email, name, bySession } = who;
  const row = personRow(deps, { email, name, password_hash: null, verified_at: null });
  return changeOrganization(deps, invitation.org_id, async (tx) => {
    const present = await open(deps, tx, tokenHash);
    const { person } = await insertPersonOrFind(tx, row);
    await requireNoMember(deps, tx, person, present);
    const isFirstProof = bySession && person.verified_at === null && isMailed(present, tokenHash);
    const proof = { userId: person.id, by: "mailed_invitation" } as const;
    const ended = isFirstProof ? await proveAddress(deps, tx, proof, origin) : null;
    return { ...(await join(deps, tx, { person, invitation: present, origin })), isFirstProof, ended };
  });
}

/**
 * Returns the invitation if it can be accepted and its creator could still create it.
 * @throws Problem `not_found`, `organization_read_only`, `organization_blocked`
 */
async function open(deps: OrganizationsDeps, db: Reader, tokenHash: string | null): Promise<Invitation> {
  const invitation = tokenHash === null ? undefined : await invitationByToken(db, tokenHash);
  const nowMs = deps.clock.nowMs();
  const isOpen =
    invitation !== undefined &&
    invitation.accepted_at === null &&
    invitation.revoked_at === null &&
    invitation.expires_at > nowMs &&
    !hasPassed(invitation.membership_expires_at, nowMs) &&
    (await mayInviterInvite(db, invitation, nowMs));
  if (isOpen) {
    requireOrganizationAllows(await readSuspension(db, invitation.org_id), "join");
    return invitation;
  }
  throw new Problem(
    "not_found",
    "This invitation does not work: it was used or revoked, it has expired, or it never existed. Ask for a new one.",
  );
}

async function mayInviterInvite(db: Reader, invitation: Invitation, nowMs: number): Promise<boolean> {
  const { org_id: orgId, invited_by: inviter } = invitation;
  if (isId("cred", inviter)) {
    // The current permissions count, because the responsible person may have lost the role since the invitation.
    const state = await readState({ read: db }, { id: inviter }, nowMs);
    if (state === undefined || state.orgId !== orgId || !isLive(state, nowMs)) return false;
    return (
      state.scopes.has("members:write") && mayGrant(await grantorOfCredential(db, orgId, state, nowMs), invitation)
    );
  }
  if (!isId("user", inviter)) return true;
  const found = await findRole(db, orgId, inviter);
  if (found === undefined || hasPassed(found.expires_at, nowMs)) return false;
  const scopes = scopesOfRole(found);
  const grantor = { role: found.role, userId: inviter, scopes, endsAtMs: found.expires_at };
  return scopes.has("members:write") && mayGrant(grantor, invitation);
}

async function newPerson(
  deps: OrganizationsDeps,
  input: Acceptance,
  { email, isProved }: { readonly email: string; readonly isProved: boolean },
): Promise<Person> {
  if (input.name === undefined) throw nameless();
  const password_hash = await hashPassword(input.password);
  const verified_at = isProved ? deps.clock.nowMs() : null;
  return personRow(deps, { email, name: input.name, password_hash, verified_at });
}

function nameless(): Problem {
  return new Problem("invalid_body", "A new account needs a name.", {
    errors: [{ pointer: "/name", detail: "is required" }],
  });
}

function personRow(
  deps: OrganizationsDeps,
  given: Pick<Person, "email" | "name" | "password_hash" | "verified_at">,
): Person {
  const at = deps.clock.nowMs();
  return { id: newId("user", at), ...given, instance_admin: 0, last_seen_at: null, created_at: at };
}

/**
 * Signs in the invited person. The inviter has the link, too, so it must not open an existing account by itself. The
 * password is required, and another organization can't take over an account that still waits for its own set-up.
 */
async function signedIn(
  deps: OrganizationsDeps,
  person: Person,
  attempt: { input: Acceptance; origin: Origin; invitation: Invitation },
): Promise<Person> {
  if (person.password_hash !== null && (await verifyPassword(attempt.input.password, person.password_hash)))
    return person;
  await auditDenied(deps, attempt.invitation, attempt.origin);
  throw new Problem(
    "forbidden",
    "An account with this e-mail address exists, and this is not its password. If you lost it, or somebody else created the account, ask for a new password where you sign in, or ask the operator of the server for a link to reset it.",
  );
}

async function auditDenied(deps: OrganizationsDeps, invitation: Invitation, { ip, requestId }: Origin): Promise<void> {
  await deps.metadata.write((tx) =>
    appendAudit(deps, tx, {
      orgId: invitation.org_id,
      actor: { kind: "anonymous", id: null },
      action: "invitation.accept",
      target: { kind: "invitation", id: invitation.id },
      result: "denied",
      ip,
      requestId,
    }),
  );
}

async function personIn(deps: OrganizationsDeps, tx: Writer, row: Person, invitation: Invitation): Promise<Person> {
  const { person } = await insertPersonOrFind(tx, row);
  if (person.id !== row.id)
    throw new Problem(
      "conflict",
      "An account with this e-mail address was created just now. Try again with its password.",
    );
  await requireNoMember(deps, tx, person, invitation);
  return person;
}

/** A membership that has ended is deleted, so the person gets nothing back. */
async function requireNoMember(
  { clock }: Pick<OrganizationsDeps, "clock">,
  tx: Writer,
  person: Person,
  { org_id: orgId }: Invitation,
): Promise<void> {
  const present = await findRole(tx, orgId, person.id);
  if (present === undefined) return;
  if (hasPassed(present.expires_at, clock.nowMs())) return deleteMembership(tx, orgId, person.id);
  throw new Problem("conflict", "You are already a member of this organization.");
}

async function join(
  deps: OrganizationsDeps,
  tx: Writer,
  options: { person: Person; invitation: Invitation; origin: Origin },
): Promise<{ organization: Organization; person: Person; role: MemberRole }> {
  const { person, invitation, origin } = options;
  const orgId = invitation.org_id;
  const at = deps.clock.nowMs();
  const { membership_expires_at: expires_at } = invitation;
  await enforceRecordLimit(deps.metadata, tx, "members_max", orgId);
  const { role, custom_role } = invitation;
  await insertMember(tx, { org_id: orgId, user_id: person.id, role, custom_role, created_at: at, expires_at });
  await closeInvitation(tx, invitation, { accepted_at: at });
  const organization = await organizationById(tx, orgId);
  if (organization === undefined) throw new Error("the organization of an invitation is missing");
  await announceAccessChange(deps, tx, orgId);
  await appendAudit(deps, tx, {
    orgId,
    actor: { kind: "person", id: person.id },
    action: "invitation.accept",
    target: { kind: "invitation", id: invitation.id },
    result: "success",
    detail: { user: person.id, role: nameOfRole(invitation) },
    ip: origin.ip,
    requestId: origin.requestId,
  });
  return { organization, person, role };
}
