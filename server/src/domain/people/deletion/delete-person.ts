import { organizationIdsOf, otherAdmins, personById } from "#domain/accounts/index.ts";
import { appendAudit, entriesToAddresses, formerAddresses, type AuditEvent } from "#domain/audit/index.ts";
import { endPersonalTokens, revokePersonalTokens } from "#domain/identity/index.ts";
import {
  announceAccessChange,
  deleteMembership,
  hasOtherOwner,
  isLastOwner,
  personPrincipal,
  removeMemberIn,
} from "#domain/organizations/index.ts";
import { readSuspension } from "#domain/suspension/index.ts";
import type { Clock } from "#kernel/time.ts";
import { Problem } from "#kernel/problem.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { Origin } from "../origin.ts";
import {
  deleteAccountRows,
  deleteAnswersWith,
  deleteInvitationsTo,
  deleteMailsTo,
  insertDeletedPerson,
  slugsOf,
  stripPersonalTokens,
} from "./store.ts";

export interface DeletionDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
}

/** The entries of the audit log that were about an address of a deleted person. */
export interface About {
  readonly targets: readonly string[];
  readonly instanceSeqs: readonly number[];
  /** The organizations whose member the person was. */
  readonly orgIds: readonly string[];
}

export interface PersonDeletion {
  readonly userId: string;
  /** The person, the operator or the system. */
  readonly actor: AuditEvent["actor"];
  readonly origin: Pick<Origin, "ip" | "requestId">;
  /**
   * A restore deletes even the last owner of an organization, and the last operator. Without another owner nobody takes
   * over the credentials and private projects of the person.
   */
  readonly again?: true;
}

/**
 * Deletes a person in one transaction: the account, sessions, logins, tokens, memberships and invitations. Their
 * credentials follow the `orphans` policy of each organization. A job erases the parts of the audit log afterwards
 * (`traces.ts`). `then` runs in the same transaction.
 * @throws Problem `not_found`, `conflict` (the last owner or operator), `orphans_undecided`
 */
export async function deletePerson(
  deps: DeletionDeps,
  deletion: PersonDeletion,
  then: (tx: Writer) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const { userId, again } = deletion;
  await deps.metadata.write(async (tx) => {
    const orgIds = await organizationIdsOf(tx, userId);
    await deps.metadata.lock(tx, ...orgIds.map((id) => `organization:${id}`), "instance_admin", `person:${userId}`);
    const person = await personById(tx, userId);
    if (person === undefined) throw new Problem("not_found", "There is no such account.");
    if (again !== true) await requireNotLast(tx, userId, orgIds, person.instance_admin === 1);
    const addresses = [...new Set([person.email, ...(await formerAddresses(tx, userId))].map((a) => a.toLowerCase()))];
    for (const orgId of orgIds) await leave(deps, tx, orgId, deletion);
    await revokePersonalTokens(deps, tx, userId);
    await stripPersonalTokens(tx, userId);
    const about: About = {
      targets: await deleteInvitationsTo(tx, addresses),
      instanceSeqs: await entriesToAddresses(tx, addresses),
      orgIds,
    };
    await deleteAnswersWith(tx, addresses);
    await deleteMailsTo(tx, addresses);
    await deleteAccountRows(tx, userId);
    const deletedAtMs = deps.clock.nowMs();
    await insertDeletedPerson(tx, {
      id: userId,
      deleted_at: deletedAtMs,
      about: JSON.stringify(about),
      erased_at: null,
    });
    await then(tx);
    for (const orgId of [...orgIds, null]) await appendAudit(deps, tx, eventOf(deletion, orgId));
  });
}

/** The entry has no address of the person who leaves. */
function eventOf({ userId, actor, origin }: PersonDeletion, orgId: string | null): AuditEvent {
  const ip = actor.id === userId ? null : origin.ip;
  const target = { kind: "user", id: userId };
  return { orgId, actor, action: "person.delete", target, result: "success", ip, requestId: origin.requestId };
}

/** @throws Problem `conflict` with the next step */
async function requireNotLast(
  tx: Writer,
  userId: string,
  orgIds: readonly string[],
  isOperator: boolean,
): Promise<void> {
  const owned: string[] = [];
  for (const orgId of orgIds)
    if ((await isLastOwner(tx, orgId, userId)) && !(await isDeleting(tx, orgId))) owned.push(orgId);
  if (owned.length > 0) {
    const slugs = (await slugsOf(tx, owned)).join(", ");
    throw new Problem(
      "conflict",
      `This person is the last owner of ${slugs}. First make another person an owner there, or delete the organization.`,
    );
  }
  if (!isOperator || (await otherAdmins(tx, userId, "running")).length > 0) return;
  throw new Problem(
    "conflict",
    "This person is the last operator of the server. First make another person an operator.",
  );
}

/** Whether the organization was deleted. It needs no owner any more, and an operator can keep it. */
async function isDeleting(tx: Writer, orgId: string): Promise<boolean> {
  return (await readSuspension(tx, orgId)).state === "deleting";
}

/** Removes the person from one organization, as if they left by themselves. */
async function leave(deps: DeletionDeps, tx: Writer, orgId: string, deletion: PersonDeletion): Promise<void> {
  const { userId, actor, origin } = deletion;
  const principal = await personPrincipal(tx, orgId, userId, deps.clock.nowMs());
  const isAnyway = deletion.again === true || (await isDeleting(tx, orgId));
  if (principal === undefined || (isAnyway && !(await hasOtherOwner(tx, orgId, userId)))) {
    await deleteMembership(tx, orgId, userId);
    await endPersonalTokens(deps, tx, orgId, userId);
    await announceAccessChange(deps, tx, orgId);
    return;
  }
  const ip = actor.id === userId ? null : origin.ip;
  await removeMemberIn(deps, tx, { principal, ip, requestId: origin.requestId, actor }, orgId, { userId });
}
