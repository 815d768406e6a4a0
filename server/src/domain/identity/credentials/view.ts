import type { Scope } from "@mooring/contract";
import { etagOf } from "#kernel/versions.ts";
import { parseScopes, renderScopes } from "./bounds.ts";
import { stateOf } from "./states.ts";
import type { CredentialContext, SecretRow } from "./store.ts";

/** A credential as its managers see it. */
export interface Credential {
  readonly id: string;
  /** `personal`: a token of the person who created it. */
  readonly kind: "app" | "personal";
  readonly clientId: string;
  readonly orgId: string;
  /** Null: reaches the whole organization. */
  readonly projectId: string | null;
  readonly name: string;
  /** As chosen. */
  readonly scopes: readonly Scope[];
  /** What of them it has at this moment: cut by its creator's present scopes and the organization's policy. */
  readonly effectiveScopes: readonly Scope[];
  /** Id of a person or a credential, or `system`. */
  readonly createdBy: string;
  readonly createdAtMs: number;
  /** Its own expiry, the policy's, or its creator's, whichever is first. */
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** The credential that it was created through and ended with; null: it was revoked itself, or not at all. */
  readonly revokedWith: string | null;
  /** Nobody has approved it yet. */
  readonly isPending: boolean;
  /** CIDR ranges from which it may be used, as chosen; null: from anywhere. */
  readonly allowedAddresses: readonly string[] | null;
  /** To the minute. */
  readonly lastUsedAtMs: number | null;
  readonly lastUsedIp: string | null;
  /** Newest first; only those that still are accepted. */
  readonly secrets: readonly CredentialSecret[];
  /** Its entity tag. */
  readonly etag: string;
}

/** A new credential, with its secret when it has one. */
export interface Made {
  readonly credential: Credential;
  readonly clientSecret: string | null;
}

/** Whether every live node has applied a change; false when one has not within two seconds. */
export interface Propagation {
  readonly propagated: boolean;
}

export interface CredentialSecret {
  readonly id: string;
  /** Last four characters. */
  readonly hint: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly lastUsedAtMs: number | null;
}

/** What of a credential can be changed; its use changes nothing. */
export function versionOf(context: CredentialContext): object {
  const { id, name, scopes, allowed_addresses, pending, revoked_at, epoch } = context;
  return { id, name, scopes, allowed_addresses, pending, revoked_at, epoch };
}

export function viewOf(
  context: CredentialContext,
  chain: readonly CredentialContext[],
  secrets: readonly SecretRow[],
  nowMs: number,
): Credential {
  const state = stateOf(context, chain, secrets);
  const live = secrets.filter(
    (row) =>
      context.revoked_at === null && state.revokedWith === null && (row.expires_at === null || nowMs < row.expires_at),
  );
  return {
    id: context.id,
    kind: context.kind,
    clientId: context.client_id,
    orgId: context.org_id,
    projectId: context.project_id,
    name: context.name,
    scopes: listOf(parseScopes(context.scopes)),
    effectiveScopes: listOf(state.scopes),
    createdBy: context.created_by,
    createdAtMs: context.created_at,
    expiresAtMs: state.expiresAtMs,
    revokedAtMs: context.revoked_at ?? state.revokedWith?.atMs ?? null,
    revokedWith: context.revoked_at === null ? (state.revokedWith?.id ?? null) : null,
    isPending: context.pending === 1,
    allowedAddresses: context.allowed_addresses?.split(" ") ?? null,
    lastUsedAtMs: context.last_used_at,
    lastUsedIp: context.last_used_ip,
    secrets: live.map((row) => ({
      id: row.id,
      hint: row.hint,
      createdAtMs: row.created_at,
      expiresAtMs: row.expires_at,
      lastUsedAtMs: row.last_used_at,
    })),
    etag: etagOf(versionOf(context)),
  };
}

function listOf(scopes: ReadonlySet<Scope>): Scope[] {
  return renderScopes(scopes)
    .split(" ")
    .filter((name) => name !== "") as Scope[];
}
