import { containsRanges, type Scope } from "@mooring/contract";
import type { Resource } from "#domain/identity/access/index.ts";
import { Problem } from "#kernel/problem.ts";
import { requireHeld, requirePolicy, withinPolicy, type ActorContext } from "./actor.ts";
import type { Addresses } from "./addresses.ts";
import { APPROVER_SCOPE, mayApprove } from "./approval.ts";
import type { Policy } from "./bounds.ts";

/** The actor that gives a credential or a key more access, and what the actor itself may do there. */
export interface Widener {
  readonly actor: ActorContext["actor"];
  /** The permissions of the actor there. */
  readonly held: ReadonlySet<Scope>;
  readonly policy: Policy;
  readonly resource: Resource;
  /** The limits of the actor. */
  readonly span: Span;
}

/** The addresses from which an actor or a credential works, and until when. */
export interface Span {
  /** An address must match all of them. */
  readonly addresses: readonly Addresses[];
  /** Null: no end. */
  readonly untilMs: number | null;
}

export const UNBOUNDED: Span = { addresses: [], untilMs: null };

/** The widened parts of a credential or a key. Empty: it is narrowed or unchanged. */
export interface Widening {
  /** All its scopes after the change. */
  readonly scopes: ReadonlySet<Scope>;
  /** The new scopes. */
  readonly raised?: readonly Scope[];
  /** The actor gets a secret, or adds an issuer whose tokens replace one. */
  readonly secret?: boolean;
  readonly addresses?: boolean;
  readonly resources?: boolean;
  /** Its addresses and expiry after the change. Absent if its creator's limits apply. */
  readonly span?: Span;
  readonly approval?: boolean;
  /** An actor who could not approve a credential must not widen an approved one. */
  readonly afterApproval?: boolean;
}

/**
 * The one rule for widening a credential, a key, a member or a policy: the actor must have all its new permissions.
 * Otherwise a weak actor could widen a strong credential, and use it with a known secret. Returns the permissions that
 * the actor lacks.
 */
export function lackingToWiden(
  held: ReadonlySet<Scope>,
  change: { readonly isWider: boolean; readonly may: Iterable<Scope> },
): Scope[] {
  return change.isWider ? [...change.may].filter((scope) => !held.has(scope)) : [];
}

/**
 * Checks the rule for credentials and keys. Only scopes that the policy allows count.
 * @throws Problem `insufficient_scope` that names what the actor lacks; `forbidden`: the policy forbids it
 */
export function requireMayWiden(by: Widener, change: Widening): void {
  const { held, policy } = by;
  const { scopes, raised = [], secret = false, addresses = false, resources = false, approval = false } = change;
  requireHeld(held, raised);
  requirePolicy(policy, raised);
  const isWider = raised.length > 0 || secret || addresses || resources || approval;
  requireHeld(held, lackingToWiden(held, { isWider, may: withinPolicy(scopes, policy) }));
  if (isWider && !approval && change.span !== undefined) requireWithin(by.span, change.span);
  if (isWider && change.afterApproval === true) requireApprover(by);
}

/** Whether the new addresses include one that the old addresses exclude. */
export function isWiderRange(before: Addresses, after: Addresses): boolean {
  return before !== null && (after === null || !containsRanges(before, after));
}

/** Refuses a credential that works from more addresses, or for longer, than its actor may act. */
function requireWithin(outer: Span, inner: Span): void {
  const isFrom = outer.addresses.every(
    (ranges) => ranges === null || inner.addresses.some((own) => own !== null && containsRanges(ranges, own)),
  );
  if (!isFrom)
    throw new Problem(
      "forbidden",
      "It could be used from addresses that you may not use. Ask an actor without this limit to do it.",
      { decidedBy: "address" },
    );
  if (outer.untilMs === null || (inner.untilMs !== null && inner.untilMs <= outer.untilMs)) return;
  throw new Problem(
    "forbidden",
    "It would work for longer than the credential that you use. Use a credential that ends later, or ask a person.",
  );
}

function requireApprover({ policy, actor, resource }: Widener): void {
  if (!policy.approvalRequired || mayApprove(actor, resource)) return;
  throw new Problem(
    "forbidden",
    `The organization's policy requires an approval. Only an actor with ${APPROVER_SCOPE} may widen an approved credential or key. Create another one.`,
  );
}
