import { containsRanges, type Scope } from "@mooring/contract";
import type { Resource } from "#domain/identity/access/index.ts";
import { Problem } from "#kernel/problem.ts";
import { requireHeld, requirePolicy, withinPolicy, type ActorContext } from "./actor.ts";
import type { Addresses } from "./addresses.ts";
import { APPROVER_SCOPE, mayApprove } from "./approval.ts";
import type { Policy } from "./bounds.ts";

/** Who makes a credential or a key more than it is, and where it reaches. */
export interface Widener {
  readonly actor: ActorContext["actor"];
  /** The permissions of the actor there. */
  readonly held: ReadonlySet<Scope>;
  readonly policy: Policy;
  readonly resource: Resource;
  /** From where and until when the actor may act. */
  readonly span: Span;
}

/** From where and until when somebody acts, or something works. */
export interface Span {
  /** All of them hold. */
  readonly addresses: readonly Addresses[];
  /** Null: for ever. */
  readonly untilMs: number | null;
}

export const UNBOUNDED: Span = { addresses: [], untilMs: null };

/** The widened parts of a credential or a key. Empty: it is narrowed, or unchanged. */
export interface Widening {
  /** All that it may do afterwards. */
  readonly scopes: ReadonlySet<Scope>;
  /** The new scopes. */
  readonly raised?: readonly Scope[];
  /** A secret for the actor, or an issuer whose tokens replace one. */
  readonly secret?: boolean;
  readonly addresses?: boolean;
  /** Its addresses and expiry afterwards. Absent where its creator's limits apply. */
  readonly span?: Span;
  readonly approval?: boolean;
  /** An actor who could not approve it must not widen an approved credential. */
  readonly afterApproval?: boolean;
}

/**
 * The one rule for widening a credential, a key, a member or a policy: the actor must have all of its new permissions.
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
 * The same for credentials and keys: of their scopes those count that the policy lets them hold.
 * @throws Problem `insufficient_scope` that names what the actor lacks; `forbidden`: the policy is in the way
 */
export function requireMayWiden(by: Widener, change: Widening): void {
  const { held, policy } = by;
  const { scopes, raised = [], secret = false, addresses = false, approval = false } = change;
  requireHeld(held, raised);
  requirePolicy(policy, raised);
  const isWider = raised.length > 0 || secret || addresses || approval;
  requireHeld(held, lackingToWiden(held, { isWider, may: withinPolicy(scopes, policy) }));
  if (isWider && !approval && change.span !== undefined) requireWithin(by.span, change.span);
  if (isWider && change.afterApproval === true) requireApprover(by);
}

/** Whether requests may come from somewhere else than before. */
export function isWiderRange(before: Addresses, after: Addresses): boolean {
  return before !== null && (after === null || !containsRanges(before, after));
}

/** An actor that is bound to addresses, or to a time, must not get a credential that works elsewhere, or longer. */
function requireWithin(outer: Span, inner: Span): void {
  const isFrom = outer.addresses.every(
    (ranges) => ranges === null || inner.addresses.some((own) => own !== null && containsRanges(ranges, own)),
  );
  if (!isFrom)
    throw new Problem(
      "forbidden",
      "It may be used from addresses that you are not allowed to use; let somebody do this who is not bound to addresses.",
      { decidedBy: "address" },
    );
  if (outer.untilMs === null || (inner.untilMs !== null && inner.untilMs <= outer.untilMs)) return;
  throw new Problem(
    "forbidden",
    "It works for longer than the credential that you use; let somebody do this whose credential does not end before it.",
  );
}

function requireApprover({ policy, actor, resource }: Widener): void {
  if (!policy.approvalRequired || mayApprove(actor, resource)) return;
  throw new Problem(
    "forbidden",
    `The organization's policy asks for an approval: only who holds ${APPROVER_SCOPE} may give an approved credential or key more. Make another one.`,
  );
}
