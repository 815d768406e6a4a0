import type { Scope } from "@mooring/contract";
import { etagOf } from "#kernel/versions.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { isId } from "#kernel/ids.ts";
import { CREATED_BY_SYSTEM, parseScopes, renderScopes } from "./bounds.ts";
import { formerOf } from "./former/store.ts";
import type { AnyRow, Table } from "./kinds.ts";
import { readParents } from "./parents.ts";
import { namedResources, type NamedResources } from "./resources.ts";
import { conditionOf, stateAt, type Condition, type State } from "./state.ts";
import { secretsOf, type Context, type CredentialContext } from "./store.ts";

/** The person or credential that is responsible for a credential. */
export interface Responsible {
  readonly kind: "person" | "credential" | "system";
  /** Null: the system. */
  readonly id: string | null;
  /** Null: it does not exist any more, or is the system. */
  readonly name: string | null;
}

/** A credential of any kind in answers, without its secrets. */
export interface AnyView {
  readonly id: string;
  readonly orgId: string;
  /** Null: it reaches the whole organization. */
  readonly projectId: string | null;
  readonly name: string;
  /** As its creator chose them. */
  readonly scopes: readonly Scope[];
  /** The scopes that it has now, limited by the responsible one's current scopes and the organization's policy. */
  readonly effectiveScopes: readonly Scope[];
  /** `state`: see `Condition`. */
  readonly condition: Condition;
  /** History: the id of a person or a credential, or `system`. */
  readonly createdBy: string;
  /** Their permissions limit it. */
  readonly responsible: Responsible;
  readonly responsibleSinceMs: number;
  readonly createdAtMs: number;
  /** The earliest of these times: its expiry, the policy's, an inherited one, and its parent's if it ends with it. */
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** It waits for an approval. */
  readonly isPending: boolean;
  /** CIDR ranges from which it may be used, as chosen. Null: any address. */
  readonly allowedAddresses: readonly string[] | null;
  /** The only resources that it reaches, as chosen, by name. Null: no such limit. */
  readonly resources: NamedResources | null;
  /** Rounded to the minute. */
  readonly lastUsedAtMs: number | null;
  /** Its entity tag. */
  readonly etag: string;
}

export interface Credential extends AnyView {
  /** `personal`: a personal access token of the responsible person. `ingest`: an ingest key. */
  readonly kind: "app" | "personal" | "ingest";
  readonly clientId: string;
  /**
   * The credential of its chain whose revocation also ended it. Null: it was revoked itself, or is valid.
   */
  readonly revokedWith: string | null;
  readonly lastUsedIp: string | null;
  /** The origins of web pages that may use this ingest key. Null: no such limit. */
  readonly origins: readonly string[] | null;
  /** The most requests of this ingest key on each node. Null: no such limit. */
  readonly requestsPerSecond: number | null;
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
  /** The former access key ID, during the overlap of a rotation. */
  readonly former: {
    readonly accessKeyId: string;
    readonly endsAtMs: number;
    readonly lastUsedAtMs: number | null;
  } | null;
}

export interface Views {
  readonly credential: Credential;
  readonly s3_key: S3Key;
}

/** Returns the columns of the version: those that can be changed. A use of the credential changes none of them. */
export function versionOf(row: AnyRow): object {
  const { id, name, scopes, allowed_addresses, pending, revoked_at, epoch, responsible, responsible_since } = row;
  const version = { id, name, scopes, allowed_addresses, pending, revoked_at, epoch, responsible, responsible_since };
  const { resources, origins = null, rate = null } = row;
  const optional = Object.entries({ resources, origins, rate }).filter(([, value]) => value !== null);
  return { ...version, ...Object.fromEntries(optional) };
}

export async function viewOf<T extends Table>(
  db: Reader,
  table: T,
  context: Context<T>,
  nowMs: number,
): Promise<Views[T]> {
  const chain = await readParents(db, context);
  const state = stateAt(context, chain, nowMs);
  const own: Own[T] = OWN[table];
  const judged = { condition: conditionOf(state, nowMs), responsible: responsibleOf(context, chain) };
  const resources = await namedResources(db, context.resources);
  const shared = { ...sharedOf(context, state), ...judged, resources };
  return { ...shared, ...(await own(db, context, { state, nowMs })) } as Views[T];
}

function responsibleOf(context: Context<Table>, [parent]: readonly CredentialContext[]): Responsible {
  const { responsible: id, responsible_name: name } = context;
  if (id === CREATED_BY_SYSTEM) return { kind: "system", id: null, name: null };
  if (isId("cred", id)) return { kind: "credential", id, name: parent?.name ?? null };
  return { kind: "person", id, name };
}

function sharedOf(context: Context<Table>, state: State): Omit<AnyView, "condition" | "resources" | "responsible"> {
  return {
    id: context.id,
    orgId: context.org_id,
    projectId: context.project_id,
    name: context.name,
    scopes: listOf(parseScopes(context.scopes)),
    effectiveScopes: listOf(state.scopes),
    createdBy: context.created_by,
    createdAtMs: context.created_at,
    responsibleSinceMs: context.responsible_since,
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
      origins: context.origins?.split(" ") ?? null,
      requestsPerSecond: context.rate,
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
  s3_key: async (db, { id, access_key: accessKeyId, buckets, prefix, revoked_at }, { nowMs }) => {
    const row = revoked_at === null ? await formerOf(db, id) : undefined;
    const isValid = row !== undefined && row.ends_at > nowMs;
    return {
      accessKeyId,
      buckets: buckets === null ? null : (JSON.parse(buckets) as string[]),
      prefix,
      former: isValid ? { accessKeyId: row.access_key, endsAtMs: row.ends_at, lastUsedAtMs: row.last_used_at } : null,
    };
  },
};
