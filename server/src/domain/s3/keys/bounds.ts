import { S3_KEY_SCOPES, type Scope } from "@mooring/contract";
import {
  addressTest,
  authorize,
  CREATED_BY_SYSTEM,
  earliest,
  parseAddresses,
  parsePolicy,
  parseScopes,
  readState,
  type AddressTest,
  type Resource,
} from "#domain/identity/index.ts";
import { principalNow } from "#domain/organizations/index.ts";
import { isId } from "#kernel/ids.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { KeyContext } from "./store.ts";

/** What a key can hold: the gateway's own scopes, and the one that makes and configures buckets. */
export const KEY_SCOPES: readonly Scope[] = S3_KEY_SCOPES;

/** What a key is to the permission check. A project that is gone counts as private: nobody reaches it. Archiving cuts no rights, but what is done with them. */
export function resourceOf(key: Pick<KeyContext, "org_id" | "project_id" | "visibility">): Resource {
  const { org_id: orgId, project_id: id, visibility } = key;
  return id === null ? { orgId } : { orgId, project: { id, visibility: visibility ?? "private", archived_at: null } };
}

/** What the key may do now, whatever it was made with: cut by the organization's policy, and by what its creator may do. */
export async function scopesNow(
  metadata: Pick<MetadataStore, "read">,
  key: KeyContext,
  nowMs: number,
): Promise<ReadonlySet<Scope>> {
  if (key.pending === 1 || (key.project_id !== null && key.visibility === null)) return new Set();
  const { allowedScopes } = parsePolicy(key.policy);
  const own = [...parseScopes(key.scopes)].filter((scope) => allowedScopes?.has(scope) ?? true);
  if (key.created_by === CREATED_BY_SYSTEM) return new Set(own);
  const creator = await principalNow(metadata, key.org_id, key.created_by, nowMs);
  if (creator === undefined) return new Set();
  const resource = resourceOf(key);
  return new Set(own.filter((scope) => authorize(creator, scope, resource) === "allowed"));
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
