import { randomBytes, timingSafeEqual } from "node:crypto";
import { APP_SLUG_PATTERN, type Scope } from "@mooring/contract";
import { kept } from "#domain/idempotency/index.ts";
import type { Envelope, SealedPlace } from "#domain/identity/keys/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { earliest } from "#kernel/time.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { ActorContext } from "./actor.ts";
import { parseScopes } from "./bounds.ts";
import type { CredentialsDeps } from "./common.ts";
import { create, type Creation } from "./create.ts";
import { deleteFormer, formerByAccessKey, formersOf, insertFormer } from "./former/store.ts";
import { requireOverlap, validated, type NewCredential } from "./input.ts";
import { KINDS } from "./kinds.ts";
import { manage, type Managed, type Propagation } from "./manage.ts";
import { readParents } from "./parents.ts";
import { spanOf, widenerOf } from "./span.ts";
import { stateAt, type State } from "./state.ts";
import { contextsOf, findContext, listIds, updateRow, type Context } from "./store.ts";
import { viewOf, type S3Key } from "./view.ts";
import { requireMayWiden } from "./widening.ts";

export interface NewS3Key extends Omit<NewCredential, "scopes"> {
  /** If absent: all scopes that a key can have and its creator has. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The names of the only buckets that it reaches. */
  readonly buckets?: readonly string[] | null | undefined;
  readonly prefix?: string | undefined;
  /** Reduces the scopes to reading. */
  readonly readOnly?: boolean | undefined;
}

export interface MadeS3Key {
  readonly key: S3Key;
  /** Shown only now. */
  readonly secret: string;
}

const ROTATION_OVERLAP_S_DEFAULT = 86_400;

/** Management of S3 keys. Operations accept their id or their access key ID. */
export interface S3Keys extends Managed<"s3_key"> {
  /** @throws Problem `invalid_body`, `not_found` (the project), `insufficient_scope`, `forbidden` (the organization's policy), `limit_reached` */
  create(acting: ActorContext, input: NewS3Key): Promise<MadeS3Key>;
  /**
   * Creates a new access key ID and secret, which is shown only now. The former ones work for `overlapS` seconds, 0: not
   * at all. Older ones end.
   * @throws Problem `invalid_body`, `not_found`, `insufficient_scope`, `conflict`
   */
  rotate(acting: ActorContext, name: string, options?: { overlapS?: number }): Promise<Propagation & MadeS3Key>;
  /** Returns the id of the key of the organization that has this secret. */
  keyOfSecret(orgId: string, secret: string): Promise<string | undefined>;
}

export function createS3Keys(deps: CredentialsDeps): S3Keys {
  const managed = manage(deps, KINDS.s3.table);
  return {
    ...managed,
    create: (acting, input) => createKey(deps, acting, input),
    rotate: (acting, name, options = {}) => rotateKey(deps, managed, acting, { name, ...options }),
    keyOfSecret: (orgId, secret) => keyOfSecret(deps, orgId, secret),
  };
}

async function createKey(deps: CredentialsDeps, acting: ActorContext, input: NewS3Key): Promise<MadeS3Key> {
  requireLimits(input);
  const { buckets = null, prefix = "", readOnly = false } = input;
  const asked = readOnly ? (["s3:read"] as const) : input.scopes;
  const secret = newSecretKey();
  const creation: Creation<"s3_key"> = {
    ...validated(input),
    kind: "s3",
    giver: acting.actor,
    permission: "credentials:write",
    scopes: asked === undefined ? undefined : new Set(asked),
    columns: (id) => ({
      access_key: newAccessKeyId(),
      buckets: buckets === null ? null : JSON.stringify(buckets),
      prefix,
      secret: deps.envelope.seal(placeOf(id), Buffer.from(secret)),
    }),
  };
  return create(deps, acting, creation, (key) => ({ key, secret }));
}

const BUCKETS_MAX = 100;
const PREFIX_BYTES_MAX = 1024;

function requireLimits({ scopes, buckets, prefix = "" }: NewS3Key): void {
  const possible: readonly Scope[] = KINDS.s3.scopes;
  const foreign = scopes?.findIndex((scope) => !possible.includes(scope)) ?? -1;
  if (foreign >= 0) throw invalid(`/scopes/${foreign}`, `must be one of ${possible.join(", ")}`);
  if (scopes?.length === 0) throw invalid("/scopes", "must name at least one scope");
  if (buckets?.length === 0 || (buckets?.length ?? 0) > BUCKETS_MAX)
    throw invalid("/buckets", `must name 1 to ${BUCKETS_MAX} buckets`);
  const pattern = new RegExp(APP_SLUG_PATTERN);
  const bad = buckets?.findIndex((name) => !pattern.test(name)) ?? -1;
  if (bad >= 0) throw invalid(`/buckets/${bad}`, "is not the name of a bucket");
  if (Buffer.byteLength(prefix) > PREFIX_BYTES_MAX)
    throw invalid("/prefix", `must have at most ${PREFIX_BYTES_MAX} bytes`);
}

function invalid(pointer: string, detail: string): Problem {
  return new Problem("invalid_body", "The S3 key is not valid.", { errors: [{ pointer, detail }] });
}

async function rotateKey(
  deps: CredentialsDeps,
  managed: Managed<"s3_key">,
  acting: ActorContext,
  { name, overlapS = ROTATION_OVERLAP_S_DEFAULT }: { name: string; overlapS?: number },
): Promise<Propagation & MadeS3Key> {
  requireOverlap(overlapS);
  const secret = newSecretKey();
  let made: MadeS3Key | undefined;
  const propagation = await managed.change(acting, name, async (tx, context, held) => {
    const span = await spanOf(tx, context, deps.clock.nowMs());
    const wider = { scopes: parseScopes(context.scopes), secret: true, span };
    requireMayWiden(await widenerOf(tx, acting, context, held), wider);
    const accessKeyId = newAccessKeyId();
    await keepFormer(deps, tx, context, overlapS);
    const sealed = deps.envelope.seal(placeOf(context.id), Buffer.from(secret));
    await updateRow(tx, context.id, { access_key: accessKeyId, secret: sealed });
    const after = (await findContext(tx, KINDS.s3.table, { id: context.id })) ?? context;
    made = await kept(tx, { key: await viewOf(tx, KINDS.s3.table, after, deps.clock.nowMs()), secret });
    const detail = { overlap_seconds: overlapS, from: context.access_key, access_key: accessKeyId };
    return { action: "s3_key.rotate", detail };
  });
  if (made === undefined) throw new Error("cannot rotate the key: the change did not run");
  return { ...propagation, ...made };
}

/** Keeps the present secret for the overlap. An older one ends. */
async function keepFormer(
  { envelope, clock }: CredentialsDeps,
  tx: Writer,
  { id: keyId, access_key, secret }: Context<"s3_key">,
  overlapS: number,
): Promise<void> {
  await deleteFormer(tx, keyId);
  if (overlapS === 0) return;
  const nowMs = clock.nowMs();
  const id = newId("sec", nowMs);
  const sealed = envelope.seal(placeOf(id, "s3_key_former"), envelope.open(placeOf(keyId), secret));
  const ends_at = nowMs + overlapS * 1000;
  await insertFormer(tx, { id, key_id: keyId, access_key, secret: sealed, ends_at, last_used_at: null });
}

/** A key as its access key ID names it: with its present secret, or with the former one. */
export interface FoundS3Key {
  readonly key: Context<"s3_key">;
  readonly state: State;
  readonly secret: SealedSecret;
  /** Set if the access key ID is the former one. */
  readonly former: { readonly id: string; readonly endsAtMs: number } | null;
}

interface SealedSecret {
  readonly place: SealedPlace;
  readonly sealed: Uint8Array;
}

/** Reads a key with its current state, without caches. Returns undefined if it does not exist, or its overlap has ended. */
export async function readS3Key(
  metadata: Pick<MetadataStore, "read">,
  accessKeyId: string,
  nowMs: number,
): Promise<FoundS3Key | undefined> {
  const present = await findContext(metadata.read, KINDS.s3.table, { publicId: accessKeyId });
  if (present !== undefined) {
    const state = stateAt(present, await readParents(metadata.read, present), nowMs);
    return { key: present, state, secret: { place: placeOf(present.id), sealed: present.secret }, former: null };
  }
  const row = await formerByAccessKey(metadata.read, accessKeyId);
  if (row === undefined || row.ends_at <= nowMs) return undefined;
  const key = await findContext(metadata.read, KINDS.s3.table, { id: row.key_id });
  if (key === undefined) return undefined;
  const state = stateAt(key, await readParents(metadata.read, key), nowMs);
  return {
    key: { ...key, access_key: accessKeyId },
    state: { ...state, expiresAtMs: earliest(state.expiresAtMs, row.ends_at) },
    secret: { place: placeOf(row.id, "s3_key_former"), sealed: row.secret },
    former: { id: row.id, endsAtMs: row.ends_at },
  };
}

/** Returns the id of the key of an organization that has this secret, now or during an overlap. */
async function keyOfSecret(
  { metadata, envelope, clock }: CredentialsDeps,
  orgId: string,
  secret: string,
): Promise<string | undefined> {
  const wanted = Buffer.from(secret);
  const isIt = (place: SealedPlace, sealed: Uint8Array): boolean => {
    const opened = envelope.open(place, sealed);
    return opened.length === wanted.length && timingSafeEqual(opened, wanted);
  };
  const nowMs = clock.nowMs();
  let after: readonly (string | number)[] | undefined;
  for (let pages = 0; pages < SEARCHED_PAGES_MAX; pages++) {
    const page = { orgId, reach: null, projectId: undefined, includeRevoked: true, after, limit: SEARCHED_PAGE };
    const ids = (await listIds(metadata.read, KINDS.s3.table, page)).map(({ id }) => id);
    for (const { id, secret: sealed } of await contextsOf(metadata.read, KINDS.s3.table, ids))
      if (isIt(placeOf(id), sealed)) return id;
    for (const former of await formersOf(metadata.read, ids))
      if (former.ends_at > nowMs && isIt(placeOf(former.id, "s3_key_former"), former.secret)) return former.key_id;
    const last = ids.at(-1);
    if (last === undefined || ids.length < SEARCHED_PAGE) return undefined;
    after = [last];
  }
  return undefined;
}

/** Opening a secret takes about 30 µs. So a page takes 3 ms of the event loop, and all of them 300 ms. */
const SEARCHED_PAGE = 100;
const SEARCHED_PAGES_MAX = 100;

const ID_PREFIX = "MOOR";
const ID_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ID_RANDOM_CHARS = 16;
const SECRET_BYTES = 30;

/** Creates an access key ID of twenty characters, the length that clients expect. It is not secret. */
function newAccessKeyId(): string {
  let id = ID_PREFIX;
  for (const byte of randomBytes(ID_RANDOM_CHARS)) id += ID_ALPHABET.charAt(byte & 31);
  return id;
}

export function isAccessKeyId(text: string): boolean {
  return /^MOOR[A-Z2-7]{16}$/.test(text);
}

/**
 * Creates a secret key of forty characters with 240 random bits. No character needs quotes in a shell or escapes in a
 * URL.
 */
function newSecretKey(): string {
  for (;;) {
    const secret = randomBytes(SECRET_BYTES).toString("base64url");
    if (!secret.startsWith("-")) return secret; // Programs would read a leading `-` as an option.
  }
}

export function openS3Secret(envelope: Pick<Envelope, "open">, { place, sealed }: SealedSecret): string {
  return envelope.open(place, sealed).toString();
}

function placeOf(id: string, table: "s3_key" | "s3_key_former" = "s3_key"): SealedPlace {
  return { table, id, purpose: "s3-secret-key", version: 1 };
}
