import type { OrgRole } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import { isLive, readState } from "#domain/identity/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { isId, newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { isWellFormedSecret } from "#kernel/secrets.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import { grantorBehind, type OrganizationsDeps } from "../caller.ts";
import { announceAccessChange, changeOrganization } from "../change.ts";
import { mayGrant } from "../members/rules.ts";
import { findMember, findRole, insertMember, insertPersonOrFind, personByEmail } from "../members/store.ts";
import { organizationById, type Organization } from "../organization/store.ts";
import { hashPassword, verifyPassword } from "../password.ts";
import { closeInvitation, invitationByToken, type Invitation } from "./store.ts";

type Person = Tables["person"];

export interface Acceptance {
  token: string;
  /** Needed by a person who has no account yet. */
  name?: string | undefined;
  password: string;
}

export interface Origin {
  readonly ip: string | null;
  readonly requestId: string | null;
}

/** @throws Problem `not_found` (unknown, used, revoked and expired alike), `forbidden` (wrong password), `invalid_body`, `conflict` */
export async function acceptInvitation(
  deps: OrganizationsDeps,
  input: Acceptance,
  origin: Origin,
): Promise<{ organization: Organization; person: Person; role: OrgRole }> {
  const tokenHash = sha256Hex(input.token);
  const invitation = await open(deps, deps.metadata.read, input.token, tokenHash);
  const known = await personByEmail(deps.metadata.read, invitation.email);
  const row =
    known === undefined
      ? await newPerson(deps, input, invitation.email)
      : await signedIn(deps, known, { input, origin, invitation });
  return changeOrganization(deps, invitation.org_id, async (tx) => {
    const present = await open(deps, tx, input.token, tokenHash);
    const person = await personIn(tx, row, present);
    return join(deps, tx, { person, invitation: present, origin });
  });
}

/** The invitation while it can be accepted and whoever made it could still make it. */
async function open(deps: OrganizationsDeps, db: Reader, token: string, tokenHash: string): Promise<Invitation> {
  const invitation = isWellFormedSecret("mriv", token) ? await invitationByToken(db, tokenHash) : undefined;
  const nowMs = deps.clock.nowMs();
  const isOpen =
    invitation !== undefined &&
    invitation.accepted_at === null &&
    invitation.revoked_at === null &&
    invitation.expires_at > nowMs &&
    (await inviterStands(db, invitation, nowMs));
  if (isOpen) return invitation;
  throw new Problem(
    "not_found",
    "This invitation does not work: it was used or revoked, it has expired, or it never was. Ask for a new one.",
  );
}

async function inviterStands(db: Reader, invitation: Invitation, nowMs: number): Promise<boolean> {
  const { org_id: orgId, invited_by: inviter } = invitation;
  if (isId("cred", inviter)) {
    // What it holds at this moment, not when it invited: whoever stands behind it may have lost the role since.
    const state = await readState({ read: db }, { id: inviter });
    if (state === undefined || state.orgId !== orgId || !isLive(state, nowMs)) return false;
    return state.scopes.has("members:write") && mayGrant(await grantorBehind(db, orgId, state), invitation.role);
  }
  if (!isId("user", inviter)) return true;
  const role = await findRole(db, orgId, inviter);
  return role === "owner" || (role === "admin" && invitation.role !== "owner");
}

async function newPerson(deps: OrganizationsDeps, input: Acceptance, email: string): Promise<Person> {
  if (input.name === undefined) {
    throw new Problem("invalid_body", "A new account needs a name.", {
      errors: [{ pointer: "/name", detail: "is required" }],
    });
  }
  const at = deps.clock.nowMs();
  return {
    id: newId("user", at),
    email,
    name: input.name,
    password_hash: await hashPassword(input.password),
    instance_admin: 0,
    last_seen_at: null,
    created_at: at,
  };
}

/**
 * The invitation alone must not open an account that exists: whoever sent it has the link too. So the password is asked, and
 * an account that is still waiting for its own set-up can't be taken over from another organization.
 */
async function signedIn(
  deps: OrganizationsDeps,
  person: Person,
  attempt: { input: Acceptance; origin: Origin; invitation: Invitation },
): Promise<Person> {
  if (person.password_hash !== null && (await verifyPassword(attempt.input.password, person.password_hash)))
    return person;
  await deps.metadata.write((tx) =>
    appendAudit(deps, tx, {
      orgId: attempt.invitation.org_id,
      actor: { kind: "anonymous", id: null },
      action: "invitation.accept",
      target: { kind: "invitation", id: attempt.invitation.id },
      result: "denied",
      ...attempt.origin,
    }),
  );
  throw new Problem("forbidden", "There is an account with this e-mail address, and this is not its password.");
}

async function personIn(tx: Writer, row: Person, invitation: Invitation): Promise<Person> {
  const { person } = await insertPersonOrFind(tx, row);
  if (person.id !== row.id)
    throw new Problem(
      "conflict",
      "An account with this e-mail address was made just now; try again with its password.",
    );
  if ((await findMember(tx, invitation.org_id, person.id)) !== undefined) {
    throw new Problem("conflict", "You are a member of this organization already.");
  }
  return person;
}

async function join(
  deps: OrganizationsDeps,
  tx: Writer,
  options: { person: Person; invitation: Invitation; origin: Origin },
): Promise<{ organization: Organization; person: Person; role: OrgRole }> {
  const { person, invitation, origin } = options;
  const orgId = invitation.org_id;
  const at = deps.clock.nowMs();
  await insertMember(tx, { org_id: orgId, user_id: person.id, role: invitation.role, created_at: at });
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
    detail: { user: person.id, role: invitation.role },
    ...origin,
  });
  return { organization, person, role: invitation.role };
}
