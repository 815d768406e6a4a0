import { Readable } from "node:stream";
import { S3Error, type ChecksumAlgorithm } from "#domain/s3/index.ts";
import { watchIdle } from "#http/index.ts";
import type { Reservation } from "#kernel/reservations.ts";
import { DigestMismatch, Digester, type Digests, type ObjectStore, type WriteOptions } from "#stores/objects/index.ts";
import type { Context } from "./context.ts";
import { cipherAt } from "./encryption.ts";
import { s3ErrorOf } from "./errors.ts";
import { keepReserved, type Staged } from "./reserve.ts";
import { AwsChunkedDecoder } from "./wire/aws-chunked.ts";
import {
  checksumFieldOf,
  checksumValue,
  contentMd5,
  digestOf,
  expectedChecksum,
  hexOfBase64,
  type ExpectedChecksum,
} from "./wire/checksums.ts";

/** The largest body of one request, as in S3. */
export const PUT_BYTES_MAX = 5 * 1024 ** 3;

/** An incoming body without its framing. */
export interface Body extends BodyDescription {
  readonly stream: Readable;
  readonly signal: AbortSignal;
  /**
   * Compares the content with the values in the trailers. Call it after the end of the body.
   * @throws S3Error `BadDigest`, `InvalidRequest`
   */
  readonly checkTrailers: (digests: Digests) => void;
  /** Call it after success and after failure. */
  readonly release: () => void;
}

/**
 * Reads from the header what to expect of the body, without reading or requesting a byte of it.
 * @throws S3Error `MissingContentLength`, `EntityTooLarge`, `InvalidDigest`, `InvalidRequest`
 */
export function describeBody(context: Context, bytesMax: number): BodyDescription {
  const { auth, fields } = context;
  const { payload } = auth;
  const trailers = trailersOf(context);
  const checksum = expectedChecksum(fields, auth.hoisted, trailers);
  const size = payload.kind === "chunked" ? decodedLength(context) : plainLength(context);
  if (size !== undefined && size > bytesMax) {
    const message = "Your proposed upload exceeds the maximum allowed size";
    const sizes = { ProposedSize: String(size), MaxSizeAllowed: String(bytesMax) };
    throw new S3Error("EntityTooLarge", message, { fields: sizes });
  }
  const md5 = contentMd5(fields);
  const sha256 = payload.kind === "plain" ? payload.sha256 : null;
  const expected = {
    ...(md5 === undefined ? {} : { md5 }),
    ...(sha256 === null ? {} : { sha256 }),
    ...expectedDigest(checksum, sha256),
  };
  return { size, checksum, expected, trailers };
}

export interface BodyDescription {
  /** Undefined if it is unknown before the end of the body. */
  readonly size: number | undefined;
  readonly checksum: ExpectedChecksum | null;
  /** The digests that the header announces. */
  readonly expected: Digests;
  readonly trailers: readonly string[];
  /** A checksum to compute in addition to the expected ones. */
  readonly computes?: ChecksumAlgorithm;
}

function expectedDigest(checksum: ExpectedChecksum | null, sha256: string | null): Digests {
  if (checksum === null || checksum.value === null) return {};
  const hex = hexOfBase64(checksum.value);
  if (checksum.algorithm === "SHA256" && sha256 !== null && sha256 !== hex) throw badDigest(checksum.algorithm);
  return { [digestOf(checksum.algorithm)]: hex };
}

function badDigest(name: string): S3Error {
  return new S3Error("BadDigest", `The ${name} you specified did not match the calculated checksum.`);
}

function trailersOf({ auth, fields }: Context): string[] {
  const list = fields.list("x-amz-trailer");
  if (list === undefined) return [];
  if (auth.payload.kind !== "chunked" || !auth.payload.hasTrailers)
    throw new S3Error("InvalidRequest", "x-amz-trailer needs an x-amz-content-sha256 that ends with -TRAILER.");
  return list.split(",").map((name) => name.trim().toLowerCase());
}

function decodedLength({ fields }: Context): number {
  const text = fields.get("x-amz-decoded-content-length");
  if (text === undefined)
    throw new S3Error("MissingContentLength", "You must provide the x-amz-decoded-content-length header.");
  if (!/^[0-9]{1,15}$/.test(text))
    throw new S3Error("InvalidArgument", "x-amz-decoded-content-length must be a whole number.");
  return Number(text);
}

/**
 * Returns the length of a body without framing.
 * @throws S3Error `InvalidRequest` if the framing of chunks would be stored as content
 */
function plainLength({ fields, auth }: Context): number | undefined {
  // Some clients name the coding and send no framing. If the digest is signed, the content is stored as it is.
  const isSigned = auth.payload.kind === "plain" && auth.payload.sha256 !== null;
  const isChunked = !isSigned && /(^|[,\s])aws-chunked($|[,\s])/i.test(fields.list("content-encoding") ?? "");
  const isEmpty = fields.get("content-length") === "0";
  if (fields.has("x-amz-decoded-content-length") || (isChunked && !isEmpty))
    throw new S3Error(
      "InvalidRequest",
      "Content in aws-chunked framing needs an x-amz-content-sha256 that begins with STREAMING-. Send that value, or send the content without the framing.",
    );
  if (fields.has("transfer-encoding")) return undefined;
  const text = fields.get("content-length");
  return Number(text ?? 0);
}

/** @throws S3Error `MissingContentLength` for content of unknown length */
export function requireLength({ fields }: Context): void {
  if (!fields.has("content-length") && !fields.has("transfer-encoding")) throw new S3Error("MissingContentLength");
}

/** Starts to read the body. A client that waits for 100 Continue gets it (RFC 9110 section 10.1.1). */
export function openBody(context: Context, description: BodyDescription): Body {
  const { auth, exchange, deps } = context;
  const { raw } = exchange;
  const { checksum, trailers } = description;
  const idle = watchIdle(raw, deps.settings.uploadIdleTimeoutMs);
  exchange.requestBody();
  const { payload } = auth;
  if (payload.kind === "plain") {
    const checkTrailers = (): void => {};
    return { ...description, stream: raw, signal: idle.signal, checkTrailers, release: () => idle.release() };
  }
  const decoder = new AwsChunkedDecoder({
    signer: payload.signer,
    decodedLength: description.size ?? 0,
    trailers: payload.hasTrailers ? trailers : null,
  });
  const cutOff = (): void => {
    if (!raw.complete) decoder.destroy(new S3Error("IncompleteBody"));
  };
  raw.once("close", cutOff);
  raw.pipe(decoder);
  return {
    ...description,
    stream: decoder,
    signal: idle.signal,
    checkTrailers: (digests) => requireTrailer(checksum, decoder.trailers, digests),
    release: () => {
      idle.release();
      raw.off("close", cutOff);
      raw.unpipe(decoder);
    },
  };
}

function requireTrailer(
  checksum: ExpectedChecksum | null,
  trailers: ReadonlyMap<string, string>,
  digests: Digests,
): void {
  if (checksum === null || checksum.value !== null) return;
  const { algorithm } = checksum;
  const value = checksumValue(algorithm, trailers.get(checksumFieldOf(algorithm)) ?? "");
  if (hexOfBase64(value) !== digests[digestOf(algorithm)]) throw badDigest(algorithm);
}

/** Returns the checksum algorithms to compute for the body. */
function checksumsWanted({ checksum, computes }: BodyDescription): (keyof Digests)[] {
  const algorithm = checksum?.algorithm ?? computes;
  return algorithm === undefined ? [] : [digestOf(algorithm)];
}

/** The encryption of content before it is stored. */
export interface Sealing {
  readonly key: Buffer;
  /** Base64. */
  readonly nonce: string;
}

interface StageLimits {
  readonly bytesMax: number;
  readonly sealing: Sealing | null;
}

/**
 * Reserves the quota, requests the body, stores it, and calls `keep` with the stored content.
 * @throws S3Error
 */
export async function keepBody<T>(
  context: Context,
  description: BodyDescription,
  limits: StageLimits,
  keep: (staged: Staged) => Promise<T>,
): Promise<T> {
  requireLength(context);
  return keepReserved(
    context,
    description.size,
    (reservation) => stageBody(context, description, limits, reservation),
    keep,
  );
}

/**
 * Stores the body and verifies everything that the request says about it. The content counts only once `keep` links it.
 * @throws S3Error
 */
async function stageBody(
  context: Context,
  description: BodyDescription,
  { bytesMax, sealing }: StageLimits,
  reservation: Reservation,
): Promise<Staged> {
  const { deps, bucket } = context;
  const body = openBody(context, description);
  try {
    const { size, signal, stream, expected } = body;
    const limits = { bytesMax, size, signal, sender: senderOf(context) };
    // The entity tag of an object is its MD5.
    const wanted = { expected, digests: ["md5" as const, ...checksumsWanted(description)] };
    const chunks = size === undefined ? reservation.admit(chunksOf(stream)) : stream;
    const staged = await stage(deps.objects, bucket.orgId, chunks, { ...limits, ...wanted, sealing });
    try {
      body.checkTrailers(staged.digests);
    } catch (error) {
      await deps.objects.discard(staged.content);
      throw error;
    }
    return staged;
  } catch (error) {
    throw contentError(context, error);
  } finally {
    body.release();
  }
}

/** Returns whose uploads share places, see `WriteOptions.sender`. */
export function senderOf({
  bucket,
  principal,
}: Pick<Context, "bucket" | "principal">): NonNullable<WriteOptions["sender"]> {
  return { orgId: bucket.orgId, id: principal.kind === "key" ? principal.id : principal.kind };
}

/** Writes content, encrypted if `sealing` is given. @throws as `ObjectStore.write` does */
export async function stage(
  objects: ObjectStore,
  orgId: string,
  input: AsyncIterable<Uint8Array>,
  { sealing, expected = {}, digests = [], ...limits }: WriteOptions & { readonly sealing: Sealing | null },
): Promise<Staged> {
  if (sealing === null) {
    const content = await objects.write(orgId, input, { ...limits, expected, digests });
    return { content, digests: { ...content.digests, sha256: content.sha256 } };
  }
  const digester = new Digester([...digests, ...(Object.keys(expected) as (keyof Digests)[])]);
  const plain: { digests: Digests } = { digests: {} };
  const content = await objects.write(orgId, encrypted(input, sealing, digester, expected, plain), limits);
  return { content, digests: plain.digests };
}

/** Verifies the announced digest before it passes on the last chunk, so that a wrong digest fails the write. */
async function* encrypted(
  input: AsyncIterable<Uint8Array>,
  { key, nonce }: Sealing,
  digester: Digester,
  expected: Digests,
  plain: { digests: Digests },
): AsyncGenerator<Uint8Array, void, undefined> {
  const cipher = cipherAt(key, nonce);
  const chunks = input instanceof Readable ? chunksOf(input) : input;
  for await (const chunk of chunks) {
    digester.update(chunk);
    yield cipher.update(chunk);
  }
  plain.digests = digester.finish();
  for (const [name, wanted] of Object.entries(expected) as [keyof Digests, string][]) {
    const actual = plain.digests[name] ?? "";
    if (actual !== wanted) throw new DigestMismatch(name, wanted, actual);
  }
}

/** Keeps the connection open when the reader stops early, because the answer is sent on it. */
function chunksOf(stream: Readable): AsyncIterable<Buffer> {
  return stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

/** Returns the error with the code that S3 has for a wrong payload digest. */
export function contentError({ auth }: Context, error: unknown): S3Error {
  const { algorithm, expected } = error as { algorithm?: unknown; expected?: unknown };
  const { payload } = auth;
  const ofPayload = payload.kind === "plain" && payload.sha256 !== null && payload.sha256 === expected;
  if (algorithm === "sha256" && ofPayload) return new S3Error("XAmzContentSHA256Mismatch");
  if ((error as { code?: unknown }).code === "ERR_STREAM_PREMATURE_CLOSE") return new S3Error("IncompleteBody");
  return s3ErrorOf(error);
}

/** Reads a small body as a whole. @throws S3Error */
export async function readSmallBody(context: Context, bytesMax: number): Promise<Buffer> {
  const description = describeBody(context, bytesMax);
  const body = openBody(context, description);
  try {
    const bytes = await gather(body, bytesMax);
    const digester = new Digester([
      ...checksumsWanted(description),
      ...(Object.keys(body.expected) as (keyof Digests)[]),
    ]);
    digester.update(bytes);
    const digests = digester.finish();
    for (const [name, expected] of Object.entries(body.expected))
      if (digests[name as keyof Digests] !== expected)
        throw contentError(context, Object.assign(badDigest(name), { algorithm: name, expected }));
    body.checkTrailers(digests);
    return bytes;
  } finally {
    body.release();
  }
}

function gather({ stream, signal }: Body, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else reject(new S3Error("MaxMessageLengthExceeded"));
    });
    stream.on("end", () => resolve(Buffer.concat(chunks)));
    stream.on("error", reject);
    stream.on("close", () => reject(new S3Error("IncompleteBody")));
    signal.addEventListener("abort", () => reject(s3ErrorOf(signal.reason)));
  });
}
