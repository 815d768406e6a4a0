import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import {
  imageQuota,
  CONTENT_OWNER,
  appendToUpload,
  cancelUpload as giveUp,
  commitBlob,
  denied,
  completeUpload,
  findBlobToKeep,
  findUpload,
  hasher,
  isAlgorithm,
  isCompleted,
  mayDo,
  mountBlob,
  parseDigest,
  RegistryError,
  repositoriesWith,
  UploadMoved,
  uploadUnknown,
  type ContentDigest,
  type Repository,
  type SessionPlace,
  type Upload,
} from "#domain/registry/index.ts";
import { reserveQuota } from "#domain/quotas/index.ts";
import { watchIdle } from "#http/index.ts";
import { DigestMismatch, TooLarge, type StagedBlob, type WriteOptions } from "#stores/objects/index.ts";
import { admitSource } from "../admission.ts";
import type { Reply } from "../exchange.ts";
import type { RegistrySurfaceDeps } from "../deps.ts";
import { pathOf, requireDigest, type AnyExchange, type Exchange } from "../model.ts";
import { UntilBroken } from "../wire/until-broken.ts";
import { chunkStart, receivedField } from "../wire/ranges.ts";

/** `POST`: starts an upload, accepts a whole blob (`digest`), or links an existing one (`mount`). */
export async function startUpload(deps: RegistrySurfaceDeps, exchange: Exchange<"uploads">): Promise<Reply> {
  const { query, repository, reply } = exchange;
  const mount = query.get("mount");
  if (mount !== null) {
    const digest = parseDigest(mount);
    if (digest !== undefined && (await mounted(deps, exchange, digest))) return created(reply, repository, digest);
  }
  const whole = query.get("digest");
  if (whole !== null && mount === null) {
    const digest = requireDigest(whole);
    await takeWhole(deps, exchange, digest);
    return created(reply, repository, digest);
  }
  const algorithm = query.get("digest-algorithm") ?? "sha256";
  if (!isAlgorithm(algorithm)) throw new RegistryError("DIGEST_INVALID", "digest-algorithm must be sha256 or sha512");
  const session = deps.sessions.begin(placeOf(exchange), algorithm, deps.clock.nowMs());
  return accepted(reply.header("docker-upload-uuid", session.id), repository, session.text, 0);
}

/**
 * Links existing content. The source is the named repository, or any repository of the organization that the caller may
 * pull from.
 */
async function mounted(
  deps: RegistrySurfaceDeps,
  exchange: Exchange<"uploads">,
  digest: ContentDigest,
): Promise<boolean> {
  const { query, caller, repository, request } = exchange;
  const from = query.get("from");
  if (from !== null) {
    const source = await admitSource(deps, request, exchange, from);
    return source !== undefined && mountBlob(deps, source, repository, digest);
  }
  for (const source of await repositoriesWith(deps.metadata.read, repository.orgId, digest.text, namesOf(caller))) {
    if (mayDo(caller, source, "pull") && (await mountBlob(deps, source, repository, digest))) return true;
  }
  return false;
}

/**
 * Returns the repositories of a token; undefined without a token. Among many repositories, the token's must be within
 * the limit.
 */
function namesOf({ access }: AnyExchange["caller"]): string[] | undefined {
  return access?.filter(({ type }) => type === "repository").map(({ name }) => name);
}

/** `GET`: says how many bytes the upload has. */
export async function getUpload(deps: RegistrySurfaceDeps, exchange: Exchange<"upload">): Promise<Reply> {
  const { session, received } = await uploadOf(deps, exchange);
  return placed(exchange.reply.code(204), exchange.repository, session.text, received).send();
}

/** `PATCH`: appends content. Bytes that arrived before the connection broke are kept. */
export async function patchUpload(deps: RegistrySurfaceDeps, exchange: Exchange<"upload">): Promise<Reply> {
  const { repository, reply } = exchange;
  const upload = await uploadOf(deps, exchange);
  const received = await append(deps, exchange, upload);
  return accepted(reply, repository, upload.session.text, received);
}

/** `PUT`: appends the last content, if any, and verifies the digest of all. */
export async function putUpload(deps: RegistrySurfaceDeps, exchange: Exchange<"upload">): Promise<Reply> {
  const { query, repository, reply } = exchange;
  const digest = requireDigest(query.get("digest"));
  const upload = await uploadOrDone(deps, exchange, digest);
  if (upload === undefined) return created(reply, repository, digest);
  requirePosition(exchange, upload);
  if (upload.received === 0) await takeWhole(deps, exchange, digest);
  else {
    const received = hasBody(exchange) ? await append(deps, exchange, upload) : upload.received;
    await completeUpload(deps, { ...upload, received }, digest);
  }
  return created(reply, repository, digest);
}

/** `DELETE`: discards the upload. */
export async function deleteUpload(deps: RegistrySurfaceDeps, exchange: Exchange<"upload">): Promise<Reply> {
  await giveUp(deps, await uploadOf(deps, exchange));
  return exchange.reply.code(204).send();
}

function placeOf({ caller, repository }: Pick<AnyExchange, "caller" | "repository">): SessionPlace {
  if (caller.principal === null) throw uploadUnknown();
  return { repository: repository.id, principal: caller.principal.id };
}

async function uploadOf(deps: RegistrySurfaceDeps, exchange: Exchange<"upload">): Promise<Upload> {
  const place = placeOf(exchange);
  const session = await deps.sessions.find(place, exchange.target.session);
  if (session === undefined) throw uploadUnknown();
  return findUpload(deps, exchange.repository, place, session);
}

/** Undefined when the upload is complete: a client that lost the answer sends the last request again. */
async function uploadOrDone(
  deps: RegistrySurfaceDeps,
  exchange: Exchange<"upload">,
  digest: ContentDigest,
): Promise<Upload | undefined> {
  try {
    return await uploadOf(deps, exchange);
  } catch (error) {
    const isOurs = (await deps.sessions.find(placeOf(exchange), exchange.target.session)) !== undefined;
    if (isOurs && !hasBody(exchange) && (await isCompleted(deps, exchange.repository, digest.text))) return undefined;
    throw error;
  }
}

/** @throws UploadMoved when the chunk begins at another offset than the upload's */
function requirePosition({ request }: Exchange<"upload">, { received }: Upload): void {
  const start = chunkStart(request.headers);
  if (start !== undefined && start !== received) throw new UploadMoved(received);
}

/** Stores a blob that comes in one request. If it breaks off or does not match its digest, nothing is kept. */
async function takeWhole(deps: RegistrySurfaceDeps, exchange: AnyExchange, digest: ContentDigest): Promise<void> {
  const { repository } = exchange;
  const size = lengthOf(exchange);
  const bytesMax = blobLimitOf(deps, exchange);
  // Content that the repository already has is not written again and needs no quota.
  if (await isCompleted(deps, repository, digest.text)) return verifyPresent(deps, exchange, digest);
  const wanted = { orgId: repository.orgId, bytes: size ?? 0 };
  await reserveQuota(deps, imageQuota(deps.settings), wanted, async (reservation) => {
    const body = hasBody(exchange) ? (exchange.request.body as IncomingMessage) : new Uint8Array();
    const isOpen = size === undefined && !(body instanceof Uint8Array);
    const options = { bytesMax, size, expected: { [digest.algorithm]: digest.hex } };
    const staged = await write(deps, exchange, isOpen ? reservation.admit(chunksOf(body)) : body, options);
    await reservation.settle(() => commitBlob(deps, repository, digest, staged));
  });
}

/** Reads a blob that the repository already has. The sender must still send every byte. */
async function verifyPresent(deps: RegistrySurfaceDeps, exchange: AnyExchange, digest: ContentDigest): Promise<void> {
  const { repository, request } = exchange;
  const bytesMax = blobLimitOf(deps, exchange);
  const { size } = await findBlobToKeep(deps, repository, digest.text);
  const hash = hasher(digest.algorithm);
  let received = 0;
  const idle = watchIdle(request.raw, deps.uploadIdleTimeoutMs);
  idle.signal.addEventListener("abort", () => void request.raw.destroy());
  try {
    const chunks = hasBody(exchange) ? chunksOf(request.body as IncomingMessage) : [];
    for await (const chunk of chunks) {
      received += chunk.length;
      if (received > bytesMax) throw tooLarge(bytesMax);
      // A longer body can't match. The digest of the read bytes is reported anyway.
      hash.update(chunk);
      const waitMs = deps.pace.waitMs(chunk.length);
      if (waitMs > 0) await delay(waitMs);
    }
  } finally {
    idle.release();
  }
  const hex = hash.digest("hex");
  if (hex !== digest.hex || received !== size) throw digestMismatch(digest.algorithm, hex);
  await findBlobToKeep(deps, repository, digest.text);
}

/** Appends the body to an upload. Returns the new offset. */
async function append(deps: RegistrySurfaceDeps, exchange: Exchange<"upload">, upload: Upload): Promise<number> {
  requirePosition(exchange, upload);
  if (!hasBody(exchange)) return upload.received;
  const { session, received } = upload;
  const release = deps.writers.take(session.id);
  if (release === undefined) throw new UploadMoved(received);
  try {
    return await appendBody(deps, exchange, upload);
  } finally {
    release();
  }
}

async function appendBody(deps: RegistrySurfaceDeps, exchange: Exchange<"upload">, upload: Upload): Promise<number> {
  const { request, repository } = exchange;
  const { session, received } = upload;
  const size = lengthOf(exchange);
  const bytesMax = blobLimitOf(deps, exchange, received);
  const wanted = { orgId: repository.orgId, bytes: size ?? 0 };
  return reserveQuota(deps, imageQuota(deps.settings), wanted, async (reservation) => {
    // A body in one piece has its own digest. Only pieces need a digest over all of them.
    const isPiece = received > 0 || request.headers["content-range"] !== undefined;
    const taken = isPiece ? deps.running.from(session.id, session.algorithm, received) : undefined;
    const body = new UntilBroken(request.body as IncomingMessage, taken);
    const chunks = size === undefined ? reservation.admit(body.chunks()) : body.chunks();
    const staged = await write(deps, exchange, chunks, { bytesMax });
    if (staged.size === 0) await deps.objects.discard(staged);
    else await reservation.settle(() => appendToUpload(deps, upload, staged));
    if (body.failure !== undefined) throw body.failure.error;
    return received + staged.size;
  });
}

function lengthOf({ request }: AnyExchange): number | undefined {
  const length = request.headers["content-length"];
  return length === undefined ? undefined : Number(length);
}

/**
 * Returns how many more bytes the blob may have.
 * @throws RegistryError `DENIED`
 */
function blobLimitOf({ settings }: RegistrySurfaceDeps, exchange: AnyExchange, received = 0): number {
  if (received + (lengthOf(exchange) ?? 0) > settings.blobBytesMax) throw tooLarge(settings.blobBytesMax);
  return settings.blobBytesMax - received;
}

/** Keeps the connection open when the reader stops early, so that the sender can read the answer. */
function chunksOf(body: IncomingMessage): AsyncIterable<Buffer> {
  return body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

async function write(
  deps: RegistrySurfaceDeps,
  { request, caller, repository }: AnyExchange,
  body: Parameters<RegistrySurfaceDeps["objects"]["write"]>[1],
  options: WriteOptions,
): Promise<StagedBlob> {
  const idle = watchIdle(request.raw, deps.uploadIdleTimeoutMs);
  try {
    return await deps.objects.write(CONTENT_OWNER, body, {
      ...options,
      sender: { orgId: repository.orgId, id: caller.principal?.id ?? "anonymous" },
      signal: idle.signal,
      ownsChunks: true,
      pace: deps.pace,
    });
  } catch (error) {
    if (error instanceof DigestMismatch) throw digestMismatch(error.algorithm, error.actual);
    if (error instanceof TooLarge) throw tooLarge(error.bytesMax);
    throw error;
  } finally {
    idle.release();
  }
}

function digestMismatch(algorithm: string, hex: string): RegistryError {
  return new RegistryError("DIGEST_INVALID", `the content's digest is ${algorithm}:${hex}`);
}

function tooLarge(bytesMax: number): RegistryError {
  return new RegistryError("DENIED", denied(`the blob has more than ${bytesMax} bytes, which is the limit here`));
}

function hasBody({ request }: Pick<AnyExchange, "request">): boolean {
  return request.body !== undefined && request.body !== null;
}

function created(reply: Reply, repository: Repository, { text }: ContentDigest): Reply {
  return reply
    .code(201)
    .headers({ location: pathOf(repository, `blobs/${text}`), "docker-content-digest": text, "content-length": "0" })
    .send();
}

function accepted(reply: Reply, repository: Repository, session: string, received: number): Reply {
  return placed(reply.code(202), repository, session, received).header("content-length", "0").send();
}

/** Sends the address and the offset to continue from, also after a refusal. */
export function placed(reply: Reply, repository: Repository, session: string, received: number): Reply {
  return reply.headers({
    location: pathOf(repository, `blobs/uploads/${session}`),
    range: receivedField(received),
    "cache-control": "no-store",
  });
}
