import type { Scope } from "@mooring/contract";
import { etagOf } from "#kernel/versions.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { parseScopes, renderScopes } from "./bounds.ts";
import type { AnyRow, Table } from "./kinds.ts";
import { readCreators, stateAt, type State } from "./state.ts";
import { secretsOf, type Context } from "./store.ts";

/** A credential of any kind in answers, without its secrets. */
export interface AnyView {
  readonly id: string;
  readonly orgId: string;
  /** Null: it reaches the whole organization. */
  readonly projectId: string | null;
  readonly name: string;
  /** As its creator chose them. */
  readonly scopes: readonly Scope[];
  /** The scopes that it has now, limited by its creator's current scopes and the organization's policy. */
  readonly effectiveScopes: readonly Scope[];
  /** The id of a person or a credential, or `system`. */
  readonly createdBy: string;
  readonly createdAtMs: number;
  /** The earliest of three times: its expiry, the policy's, and its creator's if it ends with the creator. */
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** It waits for an approval. */
  readonly isPending: boolean;
  /** CIDR ranges from which it may be used, as chosen. Null: any address. */
  readonly allowedAddresses: readonly string[] | null;
  /** Rounded to the minute. */
  readonly lastUsedAtMs: number | null;
  /** Its entity tag. */
  readonly etag: string;
}

export interface Credential extends AnyView {
  /** `personal`: a personal access token of its creator. */
  readonly kind: "app" | "personal";
  readonly clientId: string;
  /**
   * The revoked credential, among those that created it, whose revocation also ended this one. Null: this one was
   * revoked itself, or is valid.
   */
  readonly revokedWith: string | null;
  readonly lastUsedIp: string | null;
  /** Newest first, without ended ones. */
  readonly secrets: readonly CredentialSecret[];
}

export interface CredentialSecret {
  readonly id: string;
  /** Last four characters. */
  readonly hint: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly lastUsedAtMs: number | null;
}

/** An access key of the S3 gateway. */
export interface S3Key extends AnyView {
  readonly accessKeyId: string;
  /** The names of the only buckets that it reaches. Null: all buckets. */
  readonly buckets: readonly string[] | null;
  /** It reaches only objects whose keys begin with this. */
  readonly prefix: string;
}

export interface Views {
  readonly credential: Credential;
  readonly s3_key: S3Key;
}

/** Returns the columns of the version: those that can be changed. A use of the credential changes none of them. */
export function versionOf({ id, name, scopes, allowed_addresses, pending, revoked_at, epoch }: AnyRow): object {
  return { id, name, scopes, allowed_addresses, pending, revoked_at, epoch };
}

export async function viewOf<T extends Table>(
  db: Reader,
  table: T,
  context: Context<T>,
  nowMs: number,
): Promise<Views[T]> {
  const state = stateAt(context, await readCreators(db, context), nowMs);
  const own: Own[T] = OWN[table];
  return { ...sharedOf(context, state), ...(await own(db, context, { state, nowMs })) } as Views[T];
}

function sharedOf(context: Context<Table>, state: State): AnyView {
  return {
    id: context.id,
    orgId: context.org_id,
    projectId: context.project_id,
    name: context.name,
    scopes: listOf(parseScopes(context.scopes)),
    effectiveScopes: listOf(state.scopes),
    createdBy: context.created_by,
    createdAtMs: context.created_at,
    expiresAtMs: state.expiresAtMs,
    revokedAtMs: context.revoked_at ?? state.revokedWith?.atMs ?? null,
    isPending: context.pending === 1,
    allowedAddresses: context.allowed_addresses?.split(" ") ?? null,
    lastUsedAtMs: context.last_used_at,
    etag: etagOf(versionOf(context)),
  };
}

function listOf(scopes: ReadonlySet<Scope>): Scope[] {
  return renderScopes(scopes)
    .split(" ")
    .filter((name) => name !== "") as Scope[];
}

/** Reads the members that only one kind's view has. */
type Own = {
  readonly [T in Table]: (
    db: Reader,
    context: Context<T>,
    now: { readonly state: State; readonly nowMs: number },
  ) => Promise<Omit<Views[T], keyof AnyView>>;
};

const OWN: Own = {
  credential: async (db, context, { state, nowMs }) => {
    const hasEnded = context.revoked_at !== null || state.revokedWith !== null;
    const secrets = hasEnded ? [] : await secretsOf(db, context.id);
    return {
      kind: context.kind,
      clientId: context.client_id,
      revokedWith: context.revoked_at === null ? (state.revokedWith?.id ?? null) : null,
      lastUsedIp: context.last_used_ip,
      secrets: secrets
        .filter((row) => row.expires_at === null || nowMs < row.expires_at)
        .map((row) => ({
          id: row.id,
          hint: row.hint,
          createdAtMs: row.created_at,
          expiresAtMs: row.expires_at,
          lastUsedAtMs: row.last_used_at,
        })),
    };
  },
  s3_key: async (_db, { access_key: accessKeyId, buckets, prefix }) => ({
    accessKeyId,
    buckets: buckets === null ? null : (JSON.parse(buckets) as string[]),
    prefix,
  }),
};
