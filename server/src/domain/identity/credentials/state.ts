import type { Scope } from "@mooring/contract";
import { clausesOf, type Limits, type Withheld } from "#domain/identity/access/index.ts";
import { suspensionOf, type Suspension } from "#domain/suspension/index.ts";
import { isId } from "#kernel/ids.ts";
import { addressTest, type Addresses, type AddressTest } from "./addresses.ts";
import { boundsOf, NO_SCOPES, parsePolicy, parseScopes, type ParentCredential, type EndedBy } from "./bounds.ts";
import { addressListsOf } from "./inherited.ts";
import { KINDS, kindOf, tableRuleOf } from "./kinds.ts";
import type { AnyContext, CredentialContext } from "./store.ts";

/** The current permissions of a credential of any kind, with its addresses and expiry. */
export interface State {
  /** Limited by the current scopes of the responsible one, and by the organization's policy. */
  readonly scopes: ReadonlySet<Scope>;
  /** The scopes that it lost, with the reason. */
  readonly withheld: ReadonlyMap<Scope, Withheld>;
  /** The only resources that it reaches. Undefined: it is not limited to resources. */
  readonly limits: Limits | undefined;
  readonly revokedAtMs: number | null;
  /** Set if a credential in its chain was revoked. It ended together with that one. */
  readonly revokedWith: { readonly id: string; readonly atMs: number } | null;
  /** `leak`: its secret leaked, or that of the credential with which it ended. */
  readonly endReason: string | null;
  /** Its own expiry, the policy's, its parent's, or an inherited one, whichever is earliest. */
  readonly expiresAtMs: number | null;
  /** The source of the expiry. Null: its own. */
  readonly expiresBy: EndedBy | null;
  /** When the scopes must be computed again, because a membership ends. Null: no membership ends. */
  readonly changesAtMs: number | null;
  /** The state of its organization. */
  readonly organization: Suspension;
  /** It waits for an approval. */
  readonly isPending: boolean;
  /**
   * Tests an address against its own list, inherited lists, those of its chain, and the organization's. Null: any address.
   */
  readonly allows: AddressTest | null;
}

/** `chain`: see `readParents`. */
export function stateOf(context: AnyContext, chain: readonly CredentialContext[], nowMs: number): State {
  const ending = tableRuleOf(context).endsWithParent ? revokedIn(chain) : undefined;
  return {
    ...boundsOf(context, parentOf(chain, nowMs), nowMs),
    revokedAtMs: context.revoked_at,
    revokedWith: ending ?? null,
    endReason: context.revoked_at === null ? (ending?.reason ?? null) : context.end_reason,
    organization: suspensionOf(context),
    isPending: context.pending === 1,
    allows: addressTest([...[context, ...chain].flatMap((link) => addressListsOf(link)), ...policyAddresses(context)]),
  };
}

/** A personal access token is a program of a person, so the list binds it in any case. */
function policyAddresses(context: AnyContext): Addresses[] {
  const { addresses, peopleAddresses } = parsePolicy(context.policy);
  return KINDS[kindOf(context)].ownedBy === "person" ? [addresses ?? peopleAddresses] : [addresses];
}

/** Returns the nearest credential of a chain, with its bounds. */
export function parentOf(chain: readonly CredentialContext[], nowMs: number): ParentCredential | undefined {
  let parent: ParentCredential | undefined;
  for (const link of chain.toReversed()) {
    const bounds = boundsOf(link, parent, nowMs);
    parent = { id: link.id as `cred_${string}`, projectId: link.project_id, bounds };
  }
  return parent;
}

/** Returns the state at this time. A credential that does not end with its parent loses its permissions instead. */
export function stateAt(context: AnyContext, chain: readonly CredentialContext[], nowMs: number): State {
  const state = stateOf(context, chain, nowMs);
  if (tableRuleOf(context).endsWithParent || !isId("cred", context.responsible)) return state;
  const [parent, ...above] = chain;
  const how = parent === undefined ? "deleted" : endingOf(stateOf(parent, above, nowMs), nowMs);
  if (how === undefined) return state;
  const ended = { by: "parent", id: context.responsible, because: { by: "ended", how } } as const;
  const reasonOf = (scope: Scope): Withheld => {
    const reason = state.withheld.get(scope);
    return reason === undefined || reason.by === "parent" ? ended : reason;
  };
  const withheld = new Map([...parseScopes(context.scopes)].map((scope) => [scope, reasonOf(scope)]));
  return { ...state, scopes: NO_SCOPES, withheld };
}

export function isLive(state: Pick<State, Ending>, nowMs: number): boolean {
  return endingOf(state, nowMs) === undefined;
}

type Ending = "revokedAtMs" | "revokedWith" | "endReason" | "expiresAtMs" | "expiresBy";

/** Returns how it ended, for example `revoked with its parent cred_…`. Undefined while it is valid. */
export function endingOf(state: Pick<State, Ending>, nowMs: number): string | undefined {
  const leak = state.endReason === "leak" ? " after a leak" : "";
  if (state.revokedAtMs !== null) return `revoked${leak}`;
  if (state.revokedWith !== null) return `revoked with its parent ${state.revokedWith.id}${leak}`;
  if (state.expiresAtMs === null || nowMs < state.expiresAtMs) return undefined;
  return `expired${expiryText(state.expiresBy)}`;
}

function expiryText(by: EndedBy | null): string {
  if (by === null) return "";
  if (by === "policy") return ", because the organization's policy limits the lifetime";
  return by === "inherited" ? ", at the end that it inherited when it was adopted" : ` with its parent ${by}`;
}

/** Returns the nearest revoked credential of a chain. */
function revokedIn(
  chain: readonly CredentialContext[],
): (State["revokedWith"] & { reason: string | null }) | undefined {
  for (const { id, revoked_at: atMs, end_reason: reason } of chain) if (atMs !== null) return { id, atMs, reason };
  return undefined;
}

/**
 * `active`: it has all its scopes. `reduced`: some of them. `idle`: none, and adopting it helps. `pending`: it waits
 * for an approval. `ended`: it or a credential of its chain was revoked or has expired.
 */
export type StateName = "active" | "reduced" | "idle" | "pending" | "ended";

export interface Condition {
  readonly name: StateName;
  /** In words, for the end of a sentence. Null: it is active. */
  readonly reason: string | null;
}

/** Returns the state of a credential by name, with the reason. */
export function conditionOf(state: State, nowMs: number): Condition {
  const ending = endingOf(state, nowMs) ?? endedAbove(state);
  if (ending !== undefined) return { name: "ended", reason: ending };
  if (state.isPending) return { name: "pending", reason: "it waits for an approval" };
  if (state.withheld.size === 0) return { name: "active", reason: null };
  const name = state.scopes.size === 0 ? "idle" : "reduced";
  return { name, reason: clausesOf(state.withheld.values()) };
}

/** Returns the words of `endingOf` for a child: `revoked` becomes `revoked with its parent cred_…`. */
function withParent(how: string, id: string): string {
  return how.includes(" with its parent ") ? how : how.replace(/^\w+/, (word) => `${word} with its parent ${id}`);
}

/** For a credential that does not end with its parent: whether the parent has ended. */
function endedAbove({ withheld }: State): string | undefined {
  for (const reason of withheld.values())
    if (reason.by === "parent" && reason.because.by === "ended") return withParent(reason.because.how, reason.id);
  return undefined;
}
