import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import {
  canonicalMediaType,
  CLAIM_RENEWAL_MS,
  claimUpload,
  completeUpload,
  openUpload,
  quotaExceeded,
  releaseClaim,
  renewClaim,
  requireRights,
  type Upload,
} from "#domain/files/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Reservation } from "#kernel/reservations.ts";
import { TooLarge, type Digests, type StagedBlob } from "#stores/objects/index.ts";
import type { FilesSurfaceDeps } from "../deps.ts";
import { noteFile, presigned } from "../access.ts";
import { etagOf, fileBody } from "../model.ts";
import type { Reply, Request } from "./exchange.ts";
import { digestsOf } from "./digest-fields.ts";
import { watchIdle } from "#http/index.ts";

interface ContentParams {
  readonly file_id: string;
}

/** The result of the checks before the body is read. */
interface Admitted {
  readonly upload: Upload;
  readonly size: number | undefined;
  readonly expected: Digests;
}

const admitted = new WeakMap<IncomingMessage, Admitted>();

/** A smaller upload of known size does not claim the URL: it ends soon, and the first one to end becomes the file. */
const UNCLAIMED_BYTES_MAX = 1024 * 1024;

/**
 * Decides before the body is read, and before `100 Continue` is sent (`Expect: 100-continue`).
 * @throws Problem `presigned_url_invalid`, `presigned_url_expired`, `invalid_request`, `unsupported_media_type`,
 *   `body_too_large`, `conflict`, `storage_quota_exceeded`, `forbidden`, `rate_limited`
 */
export function admitUpload(deps: FilesSurfaceDeps): (request: Request, reply: Reply) => Promise<void> {
  return async (request, reply) => {
    deps.host.countAddress(reply, request.ip);
    admitted.set(request.raw, await admit(deps, request));
  };
}

async function admit(deps: FilesSurfaceDeps, request: Request): Promise<Admitted> {
  const { file_id: fileId } = request.params as ContentParams;
  const query = request.query as Record<string, unknown>;
  const claims = await deps.urls.checkUpload(fileId, query, deps.clock.nowMs());
  const { headers } = request;
  requireType(headers["content-type"], claims.contentType);
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    throw new Problem("unsupported_media_type", "Send the content as it is, without Content-Encoding.");
  if (headers["content-range"] !== undefined)
    throw new Problem("invalid_request", "Send the content as a whole, without Content-Range.");
  const expected = digestsOf(headers);
  const length = headers["content-length"] === undefined ? undefined : Number(headers["content-length"]);
  if (length !== undefined && length > claims.bytesMax) throw new TooLarge(claims.bytesMax);
  const upload = await openUpload(deps, fileId);
  noteFile(request, upload.grant, { action: "file.upload", actor: presigned(upload.grant.created_by) });
  if (length !== undefined && length > upload.left) throw quotaExceeded(upload.left);
  const size = upload.grant.size ?? undefined;
  if (size !== undefined && length !== undefined && length !== size)
    throw new Problem("invalid_request", `The file was announced with ${size} bytes, and Content-Length is ${length}.`);
  return { upload, size: size ?? length, expected: withDeclared(expected, upload.grant.sha256) };
}

function requireType(given: string | undefined, declared: string): void {
  if (given !== undefined && canonicalMediaType(given) === canonicalMediaType(declared)) return;
  throw new Problem("invalid_request", `Send the header field Content-Type: ${declared}`);
}

function withDeclared(expected: Digests, sha256: string | null): Digests {
  if (sha256 === null) return expected;
  if (expected.sha256 !== undefined && expected.sha256 !== sha256)
    throw new Problem("invalid_request", "The file was announced with another SHA-256.");
  return { ...expected, sha256 };
}

/**
 * Handles `PUT` of a presigned URL. Answers 200 with the file once it is durable. A failure leaves nothing, and the URL
 * can be used again.
 */
export function upload(
  deps: FilesSurfaceDeps,
): (request: Request, reply: Reply) => Promise<{ data: ReturnType<typeof fileBody> }> {
  return async (request, reply) => {
    const found = admitted.get(request.raw);
    if (found === undefined) throw new Error("the upload was not admitted");
    const file = await (isSmall(found) ? take(deps, request, found, randomUUID()) : claimed(deps, request, found));
    void reply.headers({ etag: etagOf(file), "cache-control": "no-store" });
    return { data: fileBody(file) };
  };
}

type Taken = ReturnType<typeof completeUpload>;

function isSmall({ size }: Admitted): boolean {
  return size !== undefined && size <= UNCLAIMED_BYTES_MAX;
}

/** Claims the URL during the upload. */
async function claimed(deps: FilesSurfaceDeps, request: Request, found: Admitted): Taken {
  const { id } = found.upload.grant;
  const claim = randomUUID();
  await claimUpload(deps, id, claim);
  const warn = (error: unknown): void => request.log.warn({ err: error, file: id }, "cannot hold an upload's claim");
  const renewal = setInterval(() => void renewClaim(deps, id, claim).catch(warn), CLAIM_RENEWAL_MS);
  try {
    return await take(deps, request, found, claim);
  } catch (error) {
    await releaseClaim(deps, id, claim).catch(warn);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

async function take(deps: FilesSurfaceDeps, request: Request, found: Admitted, claim: string): Taken {
  const { grant } = found.upload;
  return deps.reservations.hold(deps, grant, found.size ?? 0, async (reservation) => {
    const staged = await stage(deps, request, found, reservation);
    if (!isSmall(found)) await requireStill(deps, grant, staged);
    return reservation.settle(() => completeUpload(deps, grant.id, claim, staged));
  });
}

async function stage(
  deps: FilesSurfaceDeps,
  request: Request,
  { upload: { grant }, size, expected }: Admitted,
  reservation: Reservation,
): Promise<StagedBlob> {
  const idle = watchIdle(request.raw, deps.uploadIdleTimeoutMs);
  try {
    const body = bodyOf(request);
    const isOpen = size === undefined && !(body instanceof Uint8Array);
    // The connection stays open when the reader stops early, so that the sender can read the answer.
    const chunks = isOpen
      ? reservation.admit(body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
      : body;
    const sender = { orgId: grant.org_id, id: grant.created_by };
    const options = { bytesMax: grant.bytes_max, size, expected, sender, signal: idle.signal, ownsChunks: true };
    return await deps.objects.write(grant.org_id, chunks, options);
  } finally {
    idle.release();
  }
}

/** Checks the permission again, since it may have been revoked during the upload. */
async function requireStill(deps: FilesSurfaceDeps, grant: Upload["grant"], staged: StagedBlob): Promise<void> {
  try {
    await requireRights(deps, grant, grant.created_by);
  } catch (error) {
    await deps.objects.discard(staged);
    throw error;
  }
}

/** Without a body the framework has nothing to parse. */
function bodyOf(request: Request): IncomingMessage | Uint8Array {
  return request.body === undefined ? new Uint8Array() : (request.body as IncomingMessage);
}
