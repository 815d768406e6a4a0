import type { Scope } from "@mooring/contract";
import { resourceOf } from "#domain/projects/index.ts";
import { isId } from "#kernel/ids.ts";
import type { Reader } from "#stores/metadata/index.ts";
import type { ActorContext } from "./actor.ts";
import { parseAddresses } from "./addresses.ts";
import { earliest, parsePolicy } from "./bounds.ts";
import { tableRuleOf } from "./kinds.ts";
import { readCreators, stateOf } from "./state.ts";
import { findContext, type AnyContext } from "./store.ts";
import { UNBOUNDED, type Span, type Widener } from "./widening.ts";

/**
 * Returns the addresses from which a credential works, and until when. Considers its own limits, those of the credentials
 * that created it, and the longest lifetime that the policy allows.
 */
export async function spanOf(db: Reader, context: AnyContext): Promise<Span> {
  const chain = tableRuleOf(context).endsWithCreator ? await readCreators(db, context) : [];
  const addresses = [context, ...chain].map((link) => parseAddresses(link.allowed_addresses));
  return { addresses, untilMs: stateOf(context, chain).expiresAtMs };
}

/** Returns the span of the actor. It leaves out the policy's longest lifetime, because that holds for everybody. */
export async function actorSpanOf(db: Reader, actor: ActorContext["actor"]): Promise<Span> {
  if (actor.kind === "system" || !isId("cred", actor.id)) return UNBOUNDED;
  const context = await findContext(db, "credential", { id: actor.id });
  if (context === undefined) return UNBOUNDED;
  const chain = await readCreators(db, context);
  const links = [context, ...chain];
  return {
    addresses: links.map((link) => parseAddresses(link.allowed_addresses)),
    untilMs: links.reduce<number | null>((until, link) => earliest(until, link.expires_at), null),
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
