import type { Scope } from "@mooring/contract";
import { resourceOf } from "#domain/projects/index.ts";
import { isId } from "#kernel/ids.ts";
import { earliest } from "#kernel/time.ts";
import type { Reader } from "#stores/metadata/index.ts";
import type { ActorContext } from "./actor.ts";
import { parsePolicy } from "./bounds.ts";
import { addressListsOf, parseInherited } from "./inherited.ts";
import { tableRuleOf } from "./kinds.ts";
import { readParents } from "./parents.ts";
import { stateOf } from "./state.ts";
import { findContext, type AnyContext } from "./store.ts";
import { UNBOUNDED, type Span, type Widener } from "./widening.ts";

/**
 * Returns the addresses from which a credential works, and until when. Considers its own limits, inherited ones, those of its
 * chain, and the longest lifetime that the policy allows.
 */
export async function spanOf(db: Reader, context: AnyContext, nowMs: number): Promise<Span> {
  const chain = tableRuleOf(context).endsWithParent ? await readParents(db, context) : [];
  const addresses = [context, ...chain].flatMap((link) => addressListsOf(link));
  return { addresses, untilMs: stateOf(context, chain, nowMs).expiresAtMs };
}

/** Returns the span of the actor. It leaves out the policy's longest lifetime, because that holds for everybody. */
export async function actorSpanOf(db: Reader, actor: ActorContext["actor"]): Promise<Span> {
  const id = actor.kind === "person" ? actor.via?.id : actor.id;
  if (actor.kind === "system" || id === undefined || id === null || !isId("cred", id)) return UNBOUNDED;
  const context = await findContext(db, "credential", { id });
  if (context === undefined) return UNBOUNDED;
  const chain = await readParents(db, context);
  const links = [context, ...chain];
  return {
    addresses: links.flatMap((link) => addressListsOf(link)),
    untilMs: links.reduce<number | null>(
      (until, link) => earliest(until, link.expires_at, parseInherited(link.inherited).endsAtMs),
      null,
    ),
  };
}

/** Returns the actor that changes this credential. */
export async function widenerOf(
  db: Reader,
  { actor }: ActorContext,
  context: AnyContext,
  held: ReadonlySet<Scope>,
): Promise<Widener> {
  const span = await actorSpanOf(db, actor);
  return { actor, held, policy: parsePolicy(context.policy), resource: resourceOf(context), span };
}
