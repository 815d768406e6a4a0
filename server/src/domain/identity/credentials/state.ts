import type { Scope } from "@mooring/contract";
import type { Withheld } from "#domain/identity/access/index.ts";
import { isId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { addressTest, parseAddresses, type AddressTest } from "./addresses.ts";
import { boundsOf, NO_SCOPES, parsePolicy, parseScopes, type CreatorCredential, type EndedBy } from "./bounds.ts";
import { tableRuleOf } from "./kinds.ts";
import { findContext, type AnyContext, type CredentialContext } from "./store.ts";

/** The present permissions of every kind of credential, with its addresses and expiry. */
export interface State {
  /** Cut by the creator's present scopes and the organization's policy. */
  readonly scopes: ReadonlySet<Scope>;
  /** The scopes that it lost, and why. */
  readonly withheld: ReadonlyMap<Scope, Withheld>;
  readonly revokedAtMs: number | null;
  /** A credential that it was created through was revoked, and it ended with that. */
  readonly revokedWith: { readonly id: string; readonly atMs: number } | null;
  /** Its own expiry, the policy's, or its creator's, whichever is first. */
  readonly expiresAtMs: number | null;
  /** The source of the expiry; null: its own. */
  readonly expiresBy: EndedBy | null;
  /** Nobody has approved it yet. */
  readonly isPending: boolean;
  /** By its own addresses, those of the credentials that created it, and the organization's. Null: from anywhere. */
  readonly allows: AddressTest | null;
}

/** Chains of credentials that create credentials end here: beyond, nothing is allowed. */
const CREATION_DEPTH_MAX = 8;

/** The credentials that it was created through, the nearest first. */
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

/** @throws Problem `forbidden` where the credential is the last that may create another */
export async function requireDepth(db: Reader, creatorId: string): Promise<void> {
  const creator = await findContext(db, "credential", { id: creatorId });
  const depth = creator === undefined ? 0 : (await readCreators(db, creator)).length + 1;
  if (depth < CREATION_DEPTH_MAX) return;
  throw new Problem(
    "forbidden",
    `Credentials create credentials at most ${CREATION_DEPTH_MAX} deep; let a person create this one.`,
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

/** The same at this time: what does not end with its creator loses its permissions with it. */
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

/** How it ended: `revoked with its parent cred_…`; undefined while it lives. */
export function endingOf(state: Pick<State, Ending>, nowMs: number): string | undefined {
  if (state.revokedAtMs !== null) return "revoked";
  if (state.revokedWith !== null) return `revoked with its parent ${state.revokedWith.id}`;
  if (state.expiresAtMs === null || nowMs < state.expiresAtMs) return undefined;
  if (state.expiresBy === null) return "expired";
  return state.expiresBy === "policy"
    ? "expired by the longest lifetime that the organization's policy allows"
    : `expired with its parent ${state.expiresBy}`;
}

/** The first of the credentials that it was created through which was revoked. */
function revokedOf(chain: readonly CredentialContext[]): State["revokedWith"] {
  for (const { id, revoked_at: atMs } of chain) if (atMs !== null) return { id, atMs };
  return null;
}
