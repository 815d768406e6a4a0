import { randomBytes } from "node:crypto";
import { APP_SLUG_PATTERN, type Scope } from "@mooring/contract";
import type { Envelope, SealedPlace } from "#domain/identity/keys/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ActorContext } from "./actor.ts";
import type { CredentialsDeps } from "./common.ts";
import { create, type Creation } from "./create.ts";
import { validated, type NewCredential } from "./input.ts";
import { KINDS } from "./kinds.ts";
import { manage, type Managed } from "./manage.ts";
import { readParents } from "./parents.ts";
import { stateAt, type State } from "./state.ts";
import { findContext, type Context } from "./store.ts";
import type { S3Key } from "./view.ts";

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

/** Management of S3 keys. Operations accept their id or their access key ID. */
export interface S3Keys extends Managed<"s3_key"> {
  /** @throws Problem `invalid_body`, `not_found` (the project), `insufficient_scope`, `forbidden` (the organization's policy), `limit_reached` */
  create(acting: ActorContext, input: NewS3Key): Promise<MadeS3Key>;
}

export function createS3Keys(deps: CredentialsDeps): S3Keys {
  return {
    ...manage(deps, KINDS.s3.table),
    create: (acting, input) => createKey(deps, acting, input),
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

/** Reads a key with its current state, without caches. Returns undefined if it does not exist. */
export async function readS3Key(
  metadata: Pick<MetadataStore, "read">,
  accessKeyId: string,
  nowMs: number,
): Promise<{ key: Context<"s3_key">; state: State } | undefined> {
  const key = await findContext(metadata.read, KINDS.s3.table, { publicId: accessKeyId });
  if (key === undefined) return undefined;
  return { key, state: stateAt(key, await readParents(metadata.read, key), nowMs) };
}

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

export function openS3Secret(envelope: Pick<Envelope, "open">, keyId: string, sealed: Uint8Array): string {
  return envelope.open(placeOf(keyId), sealed).toString();
}

function placeOf(keyId: string): SealedPlace {
  return { table: "s3_key", id: keyId, purpose: "s3-secret-key", version: 1 };
}
