import { kept } from "#domain/idempotency/index.ts";
import { APP_SLUG_PATTERN, type Scope } from "@mooring/contract";
import { requireRoom } from "#domain/limits/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import {
  appendAuthChange,
  auditActorOf,
  creatorOf,
  endOf,
  parsePolicy,
  parseScopes,
  pendingOf,
  reachOf,
  renderAddresses,
  renderScopes,
  requireAddresses,
  requireHeld,
  requireMayWiden,
  UNBOUNDED,
  requirePermission,
  withinPolicy,
  type Acting,
  type Policy,
  type Resource,
  absent,
} from "#domain/identity/index.ts";
import { projectByName, resourceOf } from "#domain/projects/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import { etagOf } from "#kernel/versions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import type { S3Deps } from "../deps.ts";
import { expiryOf, KEY_SCOPES, rightsNow } from "./bounds.ts";
import { newAccessKeyId, newSecretKey, sealSecret } from "./secret.ts";
import {
  countLiveKeys,
  insertKey,
  keyByName,
  listKeyRows,
  organizationOf,
  setRevoked,
  type KeyContext,
} from "./store.ts";

export type KeyDeps = Pick<S3Deps, "metadata" | "envelope"> & { readonly clock: Clock };

export interface NewAccessKey {
  readonly name: string;
  /** Null: for the whole organization. */
  readonly projectId: string | null;
  /** All that a key can hold and its creator holds, when not given. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Names of the only buckets that it reaches. */
  readonly buckets?: readonly string[] | null | undefined;
  readonly prefix?: string | undefined;
  /** Cuts the scopes down to reading. */
  readonly readOnly?: boolean | undefined;
  readonly expiresAtMs?: number | null | undefined;
  /** CIDR ranges; null or absent: from anywhere. */
  readonly allowedAddresses?: readonly string[] | null | undefined;
}

/** An access key as it is shown: without its secret. */
export interface AccessKey {
  readonly id: string;
  readonly accessKeyId: string;
  readonly name: string;
  readonly projectId: string | null;
  /** As they were given. */
  readonly scopes: readonly Scope[];
  /** What it may do now. */
  readonly effectiveScopes: readonly Scope[];
  readonly buckets: readonly string[] | null;
  readonly prefix: string;
  readonly createdBy: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Nobody has approved it yet. */
  readonly isPending: boolean;
  /** CIDR ranges from which it may be used, as chosen; null: from anywhere. */
  readonly allowedAddresses: readonly string[] | null;
  readonly lastUsedAtMs: number | null;
  /** Its entity tag. */
  readonly etag: string;
}

export interface MadeAccessKey {
  readonly key: AccessKey;
  /** Shown this once. */
  readonly secret: string;
}

const BUCKETS_MAX = 100;
const PREFIX_BYTES_MAX = 1024;

/** @throws Problem `invalid_body`, `not_found` (the project), `insufficient_scope`, `forbidden` (the organization's policy) */
export async function createAccessKey(deps: KeyDeps, acting: Acting, input: NewAccessKey): Promise<MadeAccessKey> {
  requireLimits(input);
  const { metadata, clock, envelope } = deps;
  const { orgId } = acting.actor;
  const nowMs = clock.nowMs();
  const id = newId("key", nowMs);
  const secret = newSecretKey();
  const limit = input.buckets ?? null;
  const addresses = renderAddresses(requireAddresses(input.allowedAddresses ?? null));
  return metadata.write(async (tx) => {
    const { scopes, policy, resource } = await grantable(tx, acting, input);
    const made = {
      id,
      access_key: newAccessKeyId(),
      org_id: orgId,
      project_id: input.projectId,
      name: input.name,
      scopes: renderScopes(scopes),
      buckets: limit === null ? null : JSON.stringify(limit),
      prefix: input.prefix ?? "",
      secret: sealSecret(envelope, id, secret),
      created_by: creatorOf(acting.actor),
      created_at: nowMs,
      expires_at: endOf(policy, input.expiresAtMs ?? null, nowMs),
      revoked_at: null,
      last_used_at: null,
      allowed_addresses: addresses,
      pending: pendingOf(policy, acting.actor, resource),
    };
    await requireRoom(metadata, tx, "s3_keys_max", orgId);
    await insertKey(tx, made);
    const { access_key, project_id, name, buckets, prefix } = made;
    await audit(deps, tx, acting, "s3_key.create", id, {
      access_key,
      project_id,
      name,
      scopes: made.scopes,
      buckets,
      prefix,
      allowed_addresses: addresses,
      ...(made.pending === 1 ? { pending: true } : {}),
    });
    const key = await viewOf({ ...deps, metadata: { ...metadata, read: tx } }, await found(tx, orgId, id));
    return kept(tx, { key, secret });
  });
}

/** Newest first. @throws Problem `insufficient_scope` */
export async function listAccessKeys(
  deps: KeyDeps,
  acting: Acting,
  page: {
    readonly projectId?: string | undefined;
    readonly includeRevoked?: boolean;
    readonly beforeId?: string | undefined;
    readonly limit: number;
  },
): Promise<AccessKey[]> {
  const { actor } = acting;
  const reach = actor.kind === "system" ? "everything" : reachOf(actor, "credentials:read");
  const { projectId, includeRevoked = false, beforeId, limit } = page;
  const rows = await listKeyRows(deps.metadata.read, actor.orgId, reach, {
    projectId,
    includeRevoked,
    beforeId,
    limit,
  });
  // One after the other: a page of them at once would take every connection to the records.
  const keys: AccessKey[] = [];
  for (const row of rows) keys.push(await viewOf(deps, row));
  return keys;
}

/** Those that are neither revoked nor, at that time, expired. */
export async function countAccessKeys(db: Reader, orgId: string, atMs: number): Promise<number> {
  const organization = await organizationOf(db, orgId);
  const lifetimeMsMax = organization === undefined ? null : parsePolicy(organization.policy).lifetimeMsMax;
  return countLiveKeys(db, orgId, { atMs, lifetimeMsMax });
}

/** By id or access key. @throws Problem `not_found`, `insufficient_scope` */
export async function getAccessKey(deps: KeyDeps, acting: Acting, name: string): Promise<AccessKey> {
  const row = await found(deps.metadata.read, acting.actor.orgId, name);
  requirePermission(acting.actor, "credentials:read", resourceOf(row));
  return viewOf(deps, row);
}

/** From its next request on it is refused, on every node. @throws Problem `not_found`, `insufficient_scope` */
export async function revokeAccessKey(deps: KeyDeps, acting: Acting, name: string): Promise<AccessKey> {
  const { metadata, clock } = deps;
  const { orgId } = acting.actor;
  await metadata.write(async (tx) => {
    const row = await found(tx, orgId, name);
    requirePermission(acting.actor, "credentials:write", resourceOf(row));
    if (row.revoked_at !== null) return;
    await setRevoked(tx, row.id, clock.nowMs());
    await appendAuthChange(deps, tx, { kind: "credential", subject: row.id });
    await audit(deps, tx, acting, "s3_key.revoke", row.id, { access_key: row.access_key });
  });
  return viewOf(deps, await found(metadata.read, orgId, name));
}

/** What the key will hold. Nobody gives what he doesn't hold. */
async function grantable(
  tx: Writer,
  { actor }: Acting,
  { projectId, scopes, readOnly = false }: NewAccessKey,
): Promise<{ scopes: ReadonlySet<Scope>; policy: Policy; resource: Resource }> {
  const organization = await organizationOf(tx, actor.orgId);
  const project = projectId === null ? undefined : await projectByName(tx, actor.orgId, projectId);
  if (organization === undefined || (projectId !== null && project === undefined)) throw absent();
  const resource = project === undefined ? { orgId: actor.orgId } : { orgId: actor.orgId, project };
  const held = requirePermission(actor, "credentials:write", resource);
  const policy = parsePolicy(organization.policy);
  const asked = readOnly ? ["s3:read" as const] : scopes;
  if (asked === undefined) {
    const given = withinPolicy(new Set(KEY_SCOPES.filter((scope) => held.has(scope))), policy);
    if (given.length === 0) requireHeld(held, ["s3:read"]);
    return { scopes: new Set(given), policy, resource };
  }
  requireMayWiden(
    { actor, held, policy, resource, span: UNBOUNDED },
    { scopes: new Set(asked), raised: asked, secret: true },
  );
  return { scopes: new Set(asked), policy, resource };
}

function requireLimits({ scopes, buckets, prefix = "" }: NewAccessKey): void {
  const foreign = scopes?.findIndex((scope) => !KEY_SCOPES.includes(scope)) ?? -1;
  if (foreign >= 0) throw invalid(`/scopes/${foreign}`, `must be one of ${KEY_SCOPES.join(", ")}`);
  if (scopes?.length === 0) throw invalid("/scopes", "must name at least one scope");
  if (buckets?.length === 0 || (buckets?.length ?? 0) > BUCKETS_MAX)
    throw invalid("/buckets", `must name 1 to ${BUCKETS_MAX} buckets`);
  const pattern = new RegExp(APP_SLUG_PATTERN);
  const bad = buckets?.findIndex((name) => !pattern.test(name)) ?? -1;
  if (bad >= 0) throw invalid(`/buckets/${bad}`, "is not the name of a bucket");
  if (Buffer.byteLength(prefix) > PREFIX_BYTES_MAX)
    throw invalid("/prefix", `must have at most ${PREFIX_BYTES_MAX} bytes`);
}

export async function viewOf(deps: KeyDeps, row: KeyContext): Promise<AccessKey> {
  const { scopes } = await rightsNow(deps.metadata, row, deps.clock.nowMs());
  return {
    id: row.id,
    accessKeyId: row.access_key,
    name: row.name,
    projectId: row.project_id,
    scopes: [...parseScopes(row.scopes)],
    effectiveScopes: [...scopes],
    buckets: row.buckets === null ? null : (JSON.parse(row.buckets) as string[]),
    prefix: row.prefix,
    createdBy: row.created_by,
    createdAtMs: row.created_at,
    expiresAtMs: expiryOf(row),
    revokedAtMs: row.revoked_at,
    isPending: row.pending === 1,
    allowedAddresses: row.allowed_addresses?.split(" ") ?? null,
    lastUsedAtMs: row.last_used_at,
    etag: etagOf(versionOf(row)),
  };
}

/** What of a key can be changed; its use changes nothing. */
export function versionOf({ id, name, scopes, allowed_addresses, pending, revoked_at }: KeyContext): object {
  return { id, name, scopes, allowed_addresses, pending, revoked_at };
}

/** @throws Problem `not_found` */
export async function found(db: Reader, orgId: string, name: string): Promise<KeyContext> {
  const row = await keyByName(db, orgId, name);
  if (row === undefined) throw absent();
  return row;
}

export async function audit(
  deps: KeyDeps,
  tx: Writer,
  acting: Acting,
  action: string,
  id: string,
  detail: Record<string, unknown>,
): Promise<void> {
  await appendAudit(deps, tx, {
    orgId: acting.actor.orgId,
    actor: auditActorOf(acting.actor),
    ip: acting.ip ?? null,
    requestId: acting.requestId ?? null,
    result: "success",
    action,
    target: { kind: "s3_key", id },
    detail,
  });
}

function invalid(pointer: string, detail: string): Problem {
  return new Problem("invalid_body", "The access key is not valid.", { errors: [{ pointer, detail }] });
}
