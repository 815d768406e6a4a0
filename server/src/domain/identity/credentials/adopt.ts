import type { Scope } from "@mooring/contract";
import { resourceOf } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { creatorOf, requireHeld, requirePolicy, withinPolicy, type ActorContext } from "./actor.ts";
import { pendingOf } from "./approval.ts";
import { parsePolicy, parseScopes, renderScopes } from "./bounds.ts";
import { nextEpoch } from "./common.ts";
import { inheritedFrom } from "./inherited.ts";
import { KINDS, kindOf, tableRuleOf } from "./kinds.ts";
import { originOf, readOrigin, readParents, requireDepth, type Originator } from "./parents.ts";
import { endingOf, parentOf, stateAt } from "./state.ts";
import { responsibleSince, updateRow, type AnyContext, type CredentialContext } from "./store.ts";

/** A change of responsibility, for the audit log. */
export interface Adopted {
  readonly from: string;
  readonly to: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The scopes that it does not have any more. */
  readonly dropped: readonly Scope[];
  readonly pending: boolean;
  /** The new epoch, if it has one. */
  readonly epoch: number | undefined;
}

/**
 * Makes the actor responsible for a credential, in the caller's transaction. The credential keeps those of its scopes
 * that the actor has and the policy allows, and the limits of its chain. Its tokens become void.
 * @throws Problem `conflict`, `insufficient_scope`, `forbidden`
 */
export async function adoptRow(
  tx: Writer,
  { actor }: ActorContext,
  context: AnyContext,
  { held, nowMs }: { readonly held: ReadonlySet<Scope>; readonly nowMs: number },
): Promise<Adopted> {
  const chain = await readParents(tx, context);
  requireAdoptable(context, chain, nowMs);
  const to = creatorOf(actor);
  if (actor.kind === "credential" && tableRuleOf(context).hasTokens) await requireDepth(tx, to, context);
  const policy = parsePolicy(context.policy);
  const own = parseScopes(context.scopes);
  const kept = keptScopes(context, {
    given: new Set(withinPolicy(held, policy)),
    before: originOf(context, chain, nowMs),
    after: await originOfActor(tx, actor, nowMs),
  });
  if (kept.size === 0) {
    requireHeld(held, own);
    requirePolicy(policy, own);
  }
  const gained = [...kept].some((scope) => !stateAt(context, chain, nowMs).scopes.has(scope));
  const pending = gained ? pendingOf(policy, actor, resourceOf(context)) : 0;
  return makeResponsible(tx, context, chain, { to, kept, pending, nowMs, epoch: nextEpoch(context) });
}

/** @throws Problem `conflict` */
function requireAdoptable(context: AnyContext, chain: readonly CredentialContext[], nowMs: number): void {
  const { noun } = tableRuleOf(context);
  if (KINDS[kindOf(context)].ownedBy === "person")
    throw new Problem("conflict", "A personal access token belongs to one person, so nobody can adopt it.");
  // Without its chain: what ended above it does not matter.
  const ending = endingOf({ ...stateAt({ ...context, responsible: "" }, [], nowMs) }, nowMs);
  if (ending !== undefined)
    throw new Problem("conflict", `The ${noun} ${wasOrHas(ending)}. Nobody can undo that. Create another one.`);
  const leaked = chain.find((link) => link.revoked_at !== null && link.end_reason === "leak");
  if (leaked !== undefined)
    throw new Problem(
      "conflict",
      `The ${noun} was revoked with its parent ${leaked.id} after a leak, so nobody can adopt it. Create another one.`,
    );
}

/** Completes the words of `endingOf`. */
export function wasOrHas(ending: string): string {
  return `${ending.startsWith("expired") ? "has" : "was"} ${ending}`;
}

interface Sides {
  /** The scopes that the new responsible one can give it. */
  readonly given: ReadonlySet<Scope>;
  readonly before: Originator | undefined;
  readonly after: Originator | undefined;
}

/**
 * Returns the scopes that a credential keeps. If an owner adopts a credential behind which there was no owner, it loses
 * `members:write`, because it could then create and remove owners.
 */
export function keptScopes({ scopes }: Pick<AnyContext, "scopes">, { given, before, after }: Sides): Set<Scope> {
  const grows = isOwner(after) && !isOwner(before);
  return new Set([...parseScopes(scopes)].filter((scope) => given.has(scope) && !(grows && scope === "members:write")));
}

function isOwner(origin: Originator | undefined): boolean {
  return origin !== undefined && (origin === "system" || origin.role === "owner");
}

/** Returns who is behind an actor. */
export async function originOfActor(
  db: Reader,
  actor: ActorContext["actor"],
  nowMs: number,
): Promise<Originator | undefined> {
  if (actor.kind === "system") return "system";
  if (actor.kind === "person") return { userId: actor.id, role: actor.role, endsAtMs: actor.endsAtMs };
  return readOrigin(db, actor.orgId, actor.id, nowMs);
}

/** Writes the new responsible one, with the limits that the credential keeps from its chain. */
export async function makeResponsible(
  tx: Writer,
  context: AnyContext,
  chain: readonly CredentialContext[],
  next: {
    readonly to: string;
    readonly kept: ReadonlySet<Scope>;
    readonly pending: 0 | 1;
    readonly nowMs: number;
    readonly epoch: number | undefined;
  },
): Promise<Adopted> {
  const { to, kept, nowMs, epoch } = next;
  const pending = context.pending === 1 ? 1 : next.pending;
  const endsAtMs = parentOf(chain, nowMs)?.bounds.expiresAtMs ?? null;
  await updateRow(tx, context.id, {
    responsible: to,
    responsible_since: await responsibleSince(tx, context.org_id, to, nowMs),
    inherited: inheritedFrom(context, chain, { endsAtMs, nowMs }),
    scopes: renderScopes(kept),
    pending,
    epoch,
  });
  const dropped = [...parseScopes(context.scopes)].filter((scope) => !kept.has(scope));
  return { from: context.responsible, to, scopes: kept, dropped, pending: pending === 1, epoch };
}

/** Returns the problem for children of a revoked credential that the actor may not adopt. */
export function notAdopted(reason: "leak" | null | undefined): Problem {
  const why =
    reason === "leak"
      ? "After a leak, the credentials that it made may be the thief's. Revoke them, too."
      : "A credential can't adopt what ends with it. Ask another actor to do it.";
  return new Problem("conflict", why);
}
