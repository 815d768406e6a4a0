import { S3_KEY_SCOPES, type Scope } from "@mooring/contract";
import {
  addressTest,
  CREATED_BY_SYSTEM,
  decide,
  earliest,
  parseAddresses,
  parsePolicy,
  parseScopes,
  readState,
  type AddressTest,
  type Principal,
  type Withheld,
} from "#domain/identity/index.ts";
import { principalNow } from "#domain/organizations/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { isId } from "#kernel/ids.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { KeyContext } from "./store.ts";

/** What a key can hold: the gateway's own scopes, and the one that makes and configures buckets. */
export const KEY_SCOPES: readonly Scope[] = S3_KEY_SCOPES;

/** What a key may do now, and why it may not do what else it was given. */
export interface Rights {
  readonly scopes: ReadonlySet<Scope>;
  readonly withheld: ReadonlyMap<Scope, Withheld>;
}

/** What the key may do now, whatever it was made with: cut by the organization's policy, and by what its creator may do. */
export async function rightsNow(
  metadata: Pick<MetadataStore, "read">,
  key: KeyContext,
  nowMs: number,
): Promise<Rights> {
  const isOfSystem = key.created_by === CREATED_BY_SYSTEM;
  const creator = isOfSystem ? undefined : await principalNow(metadata, key.org_id, key.created_by, nowMs);
  const { allowedScopes } = parsePolicy(key.policy);
  const scopes = new Set<Scope>();
  const withheld = new Map<Scope, Withheld>();
  for (const scope of parseScopes(key.scopes)) {
    let reason: Withheld | undefined;
    if (key.pending === 1) reason = { by: "approval" };
    else if (key.project_id !== null && key.visibility === null) reason = { by: "project" };
    else if (allowedScopes?.has(scope) === false) reason = { by: "policy" };
    else if (!isOfSystem) reason = withheldBy(creator, key, scope);
    if (reason === undefined) scopes.add(scope);
    else withheld.set(scope, reason);
  }
  return { scopes, withheld };
}

/** Why whoever made the key may not do it any more; undefined: they may. */
function withheldBy(creator: Principal | undefined, key: KeyContext, scope: Scope): Withheld | undefined {
  const id = key.created_by;
  if (creator === undefined)
    return isId("cred", id)
      ? { by: "parent", id, because: { by: "ended" } }
      : { by: "role", role: null, projectRole: null };
  const verdict = decide(creator, scope, resourceOf(key));
  if (verdict.allowed) return undefined;
  const { reason } = verdict;
  // A state lessens no key: it forbids what is done with it.
  if (reason.by === "state") return undefined;
  if (reason.by === "own role") return { by: "role", role: reason.role, projectRole: reason.projectRole };
  if (reason.by === "hidden") return { by: "project" };
  return { by: "parent", id, because: reason };
}

/** By its own addresses, the organization's, and those of the credential that made it. Null: from anywhere. */
export async function addressesNow(
  metadata: Pick<MetadataStore, "read">,
  key: KeyContext,
): Promise<AddressTest | null> {
  const own = addressTest([parseAddresses(key.allowed_addresses), parsePolicy(key.policy).addresses]);
  const creator = isId("cred", key.created_by) ? await readState(metadata, { id: key.created_by }) : undefined;
  const theirs = creator?.allows ?? null;
  return theirs === null || own === null ? (own ?? theirs) : (ip) => own(ip) && theirs(ip);
}

/** Its own end, or the one that the organization's policy sets. */
export function expiryOf(key: KeyContext): number | null {
  const { lifetimeMsMax } = parsePolicy(key.policy);
  return earliest(key.expires_at, lifetimeMsMax === null ? null : key.created_at + lifetimeMsMax);
}
