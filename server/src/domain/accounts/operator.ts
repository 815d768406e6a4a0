import { appendAudit } from "#domain/audit/index.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import type { AccountsDeps, Origin } from "./deps.ts";
import { otherAdmins, personById, setAccount, useSetupLinks } from "./store.ts";

/**
 * Whether the server has an operator. If it has one, a start prints no link, and no set-up makes another person the
 * operator.
 */
export async function hasOperator(db: Reader): Promise<boolean> {
  return (await otherAdmins(db, "", "running")).length > 0;
}

/**
 * Closes the set-up. Call it first in the transaction of a person's first sign-in. Until the server has an operator,
 * every owner is a candidate. The first candidate who signs in becomes the operator. The claims of all other candidates
 * and the links that starts printed end. Later owners are ordinary owners.
 */
export async function closeSetUp(deps: AccountsDeps, tx: Writer, userId: string, origin: Origin): Promise<void> {
  const at = deps.clock.nowMs();
  const person = await personById(tx, userId);
  if (person === undefined || person.password_hash !== null || person.last_seen_at !== null) return;
  await useSetupLinks(tx, { userId }, at);
  if (person.instance_admin !== 1) return;
  await deps.metadata.lock(tx, "instance_admin");
  const isLate = (await otherAdmins(tx, userId, "running")).length > 0;
  const ended = isLate ? [userId] : await otherAdmins(tx, userId, "claiming");
  for (const id of ended) await setAccount(tx, id, { instance_admin: 0 });
  if (!isLate) await useSetupLinks(tx, { byStart: true }, at);
  const { ip, requestId } = origin;
  const base = { orgId: null, actor: { kind: "person", id: userId }, result: "success", ip, requestId } as const;
  if (!isLate) await appendAudit(deps, tx, { ...base, action: "operator.begin", target: { kind: "user", id: userId } });
  for (const id of ended)
    await appendAudit(deps, tx, { ...base, action: "operator.end_claim", target: { kind: "user", id } });
}
