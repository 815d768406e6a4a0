import type { Scope } from "@mooring/contract";
import type { Withheld } from "#domain/identity/access/index.ts";
import { isId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { addressTest, parseAddresses, type AddressTest } from "./addresses.ts";
import { boundsOf, NO_SCOPES, parsePolicy, parseScopes, type CreatorCredential, type EndedBy } from "./bounds.ts";
import { tableRuleOf } from "./kinds.ts";
import { findContext, type AnyContext, type CredentialContext } from "./store.ts";

/** The current permissions of a credential of any kind, with its addresses and expiry. */
export interface State {
  /** Limited by the creator's current scopes and the organization's policy. */
  readonly scopes: ReadonlySet<Scope>;
  /** The scopes that it lost, with the reason. */
  readonly withheld: ReadonlyMap<Scope, Withheld>;
  readonly revokedAtMs: number | null;
  /** Set if a credential in its chain of creators was revoked. It ended together with that one. */
  readonly revokedWith: { readonly id: string; readonly atMs: number } | null;
  /** Its own expiry, the policy's, or its creator's, whichever is earliest. */
  readonly expiresAtMs: number | null;
  /** The source of the expiry. Null: its own. */
  readonly expiresBy: EndedBy | null;
  /** It waits for an approval. */
  readonly isPending: boolean;
  /**
   * Tests an address against the credential's list, the lists of the credentials that created it, and the
   * organization's list. Null: any address.
   */
  readonly allows: AddressTest | null;
}

/** The longest chain of credentials that create credentials. Beyond it, nothing is allowed. */
const CREATION_DEPTH_MAX = 8;

/** Returns the chain of credentials that created it, nearest first. */
export async function readCreators(db: Reader, context: AnyContext): Promise<CredentialContext[]> {
  const chain: CredentialContext[] = [];
  let last = context;
  while (isId("cred", last.created_by) && chain.length < CREATION_DEPTH_MAX) {
    const creator = await findContext(db, "credential", { id: last.created_by });
    if (creator === undefined || creator.org_id !== context.org_id) break;
    chain.push(creator);
    last = creator;
  }
  return chain;
}

/** @throws Problem `forbidden` if the chain is already at its longest */
export async function requireDepth(db: Reader, creatorId: string): Promise<void> {
  const creator = await findContext(db, "credential", { id: creatorId });
  const depth = creator === undefined ? 0 : (await readCreators(db, creator)).length + 1;
  if (depth < CREATION_DEPTH_MAX) return;
  throw new Problem(
    "forbidden",
    `A chain of credentials that create credentials has at most ${CREATION_DEPTH_MAX} of them. Let a person create this one.`,
  );
}

/** `chain`: see `readCreators`. */
export function stateOf(context: AnyContext, chain: readonly CredentialContext[]): State {
  let creator: CreatorCredential | undefined;
  for (const link of chain.toReversed()) {
    const bounds = boundsOf(link, creator);
    creator = { id: link.id as `cred_${string}`, projectId: link.project_id, bounds };
  }
  return {
    ...boundsOf(context, creator),
    revokedAtMs: context.revoked_at,
    revokedWith: tableRuleOf(context).endsWithCreator ? revokedOf(chain) : null,
    isPending: context.pending === 1,
    allows: addressTest([
      ...[context, ...chain].map((link) => parseAddresses(link.allowed_addresses)),
      parsePolicy(context.policy).addresses,
    ]),
  };
}

/** Returns the state at this time. A credential that does not end with its creator loses its permissions instead. */
export function stateAt(context: AnyContext, chain: readonly CredentialContext[], nowMs: number): State {
  const state = stateOf(context, chain);
  const [creator, ...above] = chain;
  if (tableRuleOf(context).endsWithCreator || !isId("cred", context.created_by)) return state;
  if (creator !== undefined && isLive(stateOf(creator, above), nowMs)) return state;
  const ended = { by: "parent", id: context.created_by, because: { by: "ended" } } as const;
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

type Ending = "revokedAtMs" | "revokedWith" | "expiresAtMs" | "expiresBy";

/** Returns how it ended, for example `revoked with its parent cred_…`. Undefined while it is valid. */
export function endingOf(state: Pick<State, Ending>, nowMs: number): string | undefined {
  if (state.revokedAtMs !== null) return "revoked";
  if (state.revokedWith !== null) return `revoked with its parent ${state.revokedWith.id}`;
  if (state.expiresAtMs === null || nowMs < state.expiresAtMs) return undefined;
  if (state.expiresBy === null) return "expired";
  return state.expiresBy === "policy"
    ? "expired, because the organization's policy limits the lifetime"
    : `expired with its parent ${state.expiresBy}`;
}

/** Returns the nearest revoked credential in its chain of creators. */
function revokedOf(chain: readonly CredentialContext[]): State["revokedWith"] {
  for (const { id, revoked_at: atMs } of chain) if (atMs !== null) return { id, atMs };
  return null;
}
