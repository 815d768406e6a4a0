import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Writable } from "node:stream";
import type { SealedPlace } from "#domain/identity/index.ts";
import { S3Error, type ObjectVersion, type SseInfo } from "#domain/s3/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { Context, S3GatewayDeps } from "./context.ts";
import type { Span } from "./wire/conditions.ts";
import type { Fields } from "./wire/fields.ts";

/*
 * Encrypted content uses AES-256 in counter mode: any range of it can be read separately, and its length stays the
 * same. The key is random for each object, sealed under the master key (SSE-S3), or comes with each request and is
 * never stored (SSE-C). Each uploaded part begins at a new random counter, so that no two share a key stream.
 */

const ALGORITHM = "AES256";
const BLOCK_BYTES = 16;
const KEY_BYTES = 32;
const SSE = "x-amz-server-side-encryption";
const CUSTOMER = `${SSE}-customer-`;
/** The prefix of the fields about a copy's source. */
export const COPY_SOURCE = "x-amz-copy-source-";

export interface Encryption {
  /** Stored with the object. Only content in one piece uses its nonce; each part has another one. */
  readonly info: SseInfo;
  readonly key: Buffer;
}

/**
 * Returns the encryption that the request asks for, or else the bucket's default; null for none.
 * @throws S3Error `InvalidArgument`, `InvalidRequest`, `NotImplemented`
 */
export function encryptionOf({ fields, bucket, deps }: Context): Encryption | null {
  const asked = fields.get(SSE);
  const customer = customerKey(fields, "");
  if (customer !== null) {
    if (asked !== undefined)
      throw new S3Error(
        "InvalidArgument",
        "Server Side Encryption with Customer provided key is incompatible with the encryption method specified",
      );
    const { key, md5 } = customer;
    return { key, info: { kind: "SSE-C", keyMd5: md5, nonce: newNonce() } };
  }
  if (asked === "aws:kms" || asked === "aws:kms:dsse")
    throw new S3Error("NotImplemented", `${SSE}: ${asked} is not implemented; ${ALGORITHM} is.`);
  if (asked !== undefined && asked !== ALGORITHM)
    throw new S3Error("InvalidArgument", "The encryption method specified is not supported");
  const about = fields.names().find((name) => name.startsWith(`${SSE}-`) && !name.startsWith(CUSTOMER));
  if (about !== undefined)
    throw new S3Error("InvalidArgument", `${about} needs ${SSE}: aws:kms, which is not implemented.`);
  if (asked === undefined && bucket.config.encryption === undefined) return null;
  const [key, nonce] = [randomBytes(KEY_BYTES), newNonce()];
  const sealedKey = Buffer.from(deps.envelope.seal(placeOf(nonce), key)).toString("base64");
  return { key, info: { kind: ALGORITHM, nonce, sealedKey } };
}

/** Base64. */
export function newNonce(): string {
  return randomBytes(BLOCK_BYTES).toString("base64");
}

/** The nonce is the id of the sealed key, because copies that share content share its nonce. */
function placeOf(nonce: string): SealedPlace {
  return { table: "s3_objects", id: nonce, purpose: "s3-object-key", version: 1 };
}

/**
 * Returns the key of stored content or of an upload's parts; null if it is not encrypted.
 * @param prefix of the fields with a customer's key
 * @throws S3Error `InvalidRequest`
 */
export function keyOf(
  { deps, fields }: { readonly deps: Pick<S3GatewayDeps, "envelope">; readonly fields: Fields },
  sse: SseInfo | null,
  prefix = "",
): Buffer | null {
  const customer = customerKey(fields, prefix);
  if (sse?.kind !== "SSE-C") {
    if (customer !== null)
      throw new S3Error("InvalidRequest", "The encryption parameters are not applicable to this object.");
    if (sse === null) return null;
    return deps.envelope.open(placeOf(sse.nonce ?? ""), Buffer.from(sse.sealedKey ?? "", "base64"));
  }
  if (customer === null)
    throw new S3Error(
      "InvalidRequest",
      "The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.",
    );
  if (customer.md5 !== sse.keyMd5)
    throw new S3Error("InvalidRequest", "The provided encryption parameters did not match the ones used originally.");
  return customer.key;
}

/** Reads a customer's key from its three fields. Either all or none must be sent. */
function customerKey(fields: Fields, prefix: string): { key: Buffer; md5: string } | null {
  const name = prefix.endsWith("-") ? `${prefix}${CUSTOMER.replace(/^x-amz-/, "")}` : CUSTOMER;
  const [algorithm, key, md5] = ["algorithm", "key", "key-md5"].map((part) => fields.get(name + part));
  if (algorithm === undefined && key === undefined && md5 === undefined) return null;
  if (algorithm !== ALGORITHM)
    throw new S3Error(
      algorithm === undefined ? "InvalidArgument" : "InvalidEncryptionAlgorithmError",
      "Requests specifying Server Side Encryption with Customer provided keys must provide a valid encryption algorithm.",
    );
  const bytes = Buffer.from(key ?? "", "base64");
  if (bytes.length !== KEY_BYTES)
    throw new S3Error(
      "InvalidArgument",
      "Requests specifying Server Side Encryption with Customer provided keys must provide an appropriate secret key.",
    );
  if (md5 === undefined || createHash("md5").update(bytes).digest("base64") !== md5)
    throw new S3Error(
      "InvalidArgument",
      "The calculated MD5 hash of the key did not match the hash that was provided.",
    );
  return { key: bytes, md5 };
}

/** Returns the header fields that report the encryption. */
export function sseFields(sse: SseInfo | null): Record<string, string> {
  if (sse === null) return {};
  if (sse.kind === ALGORITHM) return { [SSE]: ALGORITHM };
  return { [`${CUSTOMER}algorithm`]: ALGORITHM, [`${CUSTOMER}key-md5`]: sse.keyMd5 ?? "" };
}

interface Cipher {
  update(chunk: Uint8Array): Buffer;
}

/** Returns a cipher from a byte position on. Counter mode uses the same key stream to encrypt and to decrypt. */
export function cipherAt(key: Buffer, nonce: string, position = 0): Cipher {
  const counter = Buffer.from(nonce, "base64");
  let carry = BigInt(Math.floor(position / BLOCK_BYTES));
  for (let i = BLOCK_BYTES - 1; i >= 0 && carry > 0n; i--) {
    carry += BigInt(counter[i] ?? 0);
    counter[i] = Number(carry & 0xffn);
    carry >>= 8n;
  }
  const cipher = createCipheriv("aes-256-ctr", key, counter);
  cipher.update(Buffer.alloc(position % BLOCK_BYTES));
  return cipher;
}

/** Yields the decrypted bytes of an object, or of a range. */
export async function* plaintextOf(
  objects: ObjectStore,
  orgId: string,
  {
    version,
    key,
    span,
  }: { readonly version: ObjectVersion; readonly key: Buffer | null; readonly span: Span | undefined },
): AsyncGenerator<Buffer, void, undefined> {
  const { start, end } = span ?? { start: 0, end: version.size };
  for (const piece of piecesOf(version)) {
    const range = { start: Math.max(start, piece.start), end: Math.min(end, piece.end) };
    if (range.start >= range.end) continue;
    const reader = await objects.open(orgId, version.blobId, { range });
    const cipher = key === null ? null : cipherAt(key, piece.nonce, range.start - piece.start);
    try {
      for await (const chunk of reader.chunks()) yield cipher === null ? chunk : cipher.update(chunk);
    } finally {
      await reader.close();
    }
  }
}

/** Returns the ranges of an object, each with its own counter. */
function piecesOf({ size, sse, parts }: ObjectVersion): (Span & { nonce: string })[] {
  if (parts === null || sse === null) return [{ start: 0, end: size, nonce: sse?.nonce ?? "" }];
  let at = 0;
  return parts.map((part) => {
    const start = at;
    at += part.size;
    return { start, end: at, nonce: part.nonce ?? sse.nonce ?? "" };
  });
}

/** Writes chunks to a response, and waits while its buffer is full. */
export async function sendChunks(
  chunks: AsyncIterable<Buffer>,
  response: Writable,
  failed: (error: unknown) => void,
): Promise<void> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  response.once("close", leave);
  try {
    for await (const chunk of chunks) {
      if (gone.signal.aborted) return;
      if (!response.write(chunk)) await once(response, "drain", { signal: gone.signal });
    }
    response.end();
  } catch (error) {
    failed(error);
    response.destroy();
    if (!gone.signal.aborted) throw error;
  } finally {
    response.off("close", leave);
  }
}
