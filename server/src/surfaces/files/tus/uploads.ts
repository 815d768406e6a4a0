import type { IncomingMessage } from "node:http";
import {
  beginResumable,
  completeResumable,
  deleteFile,
  findResumable,
  movedOn,
  type Resumable,
  type StoredFile,
} from "#domain/files/index.ts";
import { type Principal, requireSeen } from "#domain/identity/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { principalOf, watchIdle } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Reply, Request } from "../content/exchange.ts";
import type { FilesSurfaceDeps } from "../deps.ts";
import { placeFor, requireFileOrGrant } from "../resources.ts";
import type { Active } from "./active.ts";
import {
  checksumIn,
  describedBy,
  numberIn,
  requireVersion,
  TUS_CHECKSUMS,
  TUS_CONTENT_TYPE,
  TUS_EXTENSIONS,
  TUS_VERSION,
} from "./protocol.ts";
import { receive } from "./receive.ts";

export interface TusDeps extends FilesSurfaceDeps {
  readonly active: Active;
}

export const TUS_PATH = "/v1/uploads";

type Handler = (request: Request, reply: Reply) => Promise<Reply>;

interface UploadParams {
  readonly upload_id: string;
}

/** Answers `OPTIONS` with the supported versions and extensions. */
export function describe(deps: TusDeps): Handler {
  return async (_request, reply) =>
    reply
      .code(204)
      .headers({
        "tus-version": TUS_VERSION,
        "tus-extension": TUS_EXTENSIONS,
        "tus-max-size": String(deps.settings.sizeBytesMax),
        "tus-checksum-algorithm": TUS_CHECKSUMS.join(","),
      })
      .send();
}

/**
 * Checks every other request before its body is read.
 * @throws Problem `precondition_failed`, `unauthorized`, …
 */
export function admitTus(deps: TusDeps): (request: Request, reply: Reply) => Promise<void> {
  return async (request, reply) => {
    requireVersion(request.headers);
    await deps.host.admit(request, reply, "files:write");
    const type = request.headers["content-type"];
    if (request.method === "PATCH" && type !== TUS_CONTENT_TYPE) throw wrongType();
  };
}

/**
 * Handles `POST`: creates an upload, with its first bytes if the request has a body (creation, creation-with-upload).
 */
export function create(deps: TusDeps): Handler {
  return async (request, reply) => {
    const { headers } = request;
    if (headers["upload-defer-length"] !== undefined)
      throw new Problem("invalid_request", "Send Upload-Length; Upload-Defer-Length is not supported.");
    const size = numberIn(headers, "Upload-Length");
    if (size === undefined) throw new Problem("invalid_request", "The header field Upload-Length is missing.");
    const principal = principalOf(request);
    const { project, ...described } = describedBy(headers);
    const projectId = await placeFor(deps, principal, project, "files:write");
    const body = bodyOf(request);
    if (body !== undefined && headers["content-type"] !== TUS_CONTENT_TYPE) throw wrongType();
    const grant = await beginResumable(deps, principal, { ...described, size, sha256: null, projectId });
    void reply.code(201).header("location", `${deps.storageUrl}${TUS_PATH}/${grant.id}`);
    const upload = await current(deps, principal, grant.id);
    if ("blob_id" in upload || body === undefined) return placed(reply, 0, grant.expires_at).send();
    return taken(deps, request, reply, upload);
  };
}

/** Answers `HEAD` with the offset of the upload. */
export function offset(deps: TusDeps): Handler {
  return async (request, reply) => {
    const found = await uploadFor(deps, request);
    if ("blob_id" in found) return placed(reply.code(200), found.size).header("upload-length", found.size).send();
    const { grant, size, received } = found;
    return placed(reply.code(200), received, grant.expires_at)
      .headers({ "upload-length": size, "upload-metadata": grant.metadata ?? "" })
      .send();
  };
}

/** Handles `PATCH`: appends content. */
export function append(deps: TusDeps): Handler {
  return async (request, reply) => {
    const at = numberIn(request.headers, "Upload-Offset");
    if (at === undefined) throw new Problem("invalid_request", "The header field Upload-Offset is missing.");
    const found = await uploadFor(deps, request);
    if ("blob_id" in found) {
      if (at !== found.size) throw movedOn();
      return placed(reply.code(204), at).send();
    }
    if (at !== found.received) throw movedOn();
    const length = Number(request.headers["content-length"] ?? 0);
    if (at + length > found.size)
      throw new Problem("body_too_large", `The upload was announced with ${found.size} bytes.`);
    return taken(deps, request, reply.code(204), found);
  };
}

/** Handles `DELETE`: discards the upload (termination). */
export function terminate(deps: TusDeps): Handler {
  return async (request, reply) => {
    const found = await uploadFor(deps, request);
    const principal = principalOf(request);
    const { upload_id: id } = request.params as UploadParams;
    if ("blob_id" in found) await requireFileOrGrant(deps, principal, id, "files:delete");
    await deleteFile(deps, { principal, ip: request.ip, requestId: request.id }, principal.orgId, { id });
    return reply.code(204).send();
  };
}

async function taken(deps: TusDeps, request: Request, reply: Reply, upload: Resumable): Promise<Reply> {
  const body = bodyOf(request);
  const { id } = upload.grant;
  if (body === undefined) return placed(reply, upload.received, upload.grant.expires_at).send();
  const checksum = checksumIn(request.headers);
  const idle = watchIdle(request.raw, deps.uploadIdleTimeoutMs);
  // Content that arrived before the cut is kept, and the sender continues from there.
  const stop = (): void => void request.raw.destroy();
  idle.signal.addEventListener("abort", stop);
  try {
    const uploader = principalOf(request).id;
    const at = await deps.active.run(id, stop, () => receive(deps, { upload, body, checksum, uploader }));
    return await placed(reply, at, deps.clock.nowMs() + deps.settings.resumableLifetimeS * 1000).send();
  } finally {
    idle.release();
  }
}

/**
 * Returns the upload of the path, after ending any other request that receives content for it.
 * @throws Problem `not_found`
 */
async function uploadFor(deps: TusDeps, request: Request): Promise<Resumable | StoredFile> {
  const { upload_id: id } = request.params as UploadParams;
  const principal = principalOf(request);
  await current(deps, principal, id); // The permission was checked before the other request is ended.
  await deps.active.takeOver(id);
  return current(deps, principal, id);
}

/**
 * Returns the current state. If the server ended after the last byte, or the upload is empty, this creates the file.
 */
async function current(deps: TusDeps, principal: Principal, id: string): Promise<Resumable | StoredFile> {
  const found = await findResumable(deps, principal.orgId, id);
  requireSeen(principal, "files:write", resourceOf("blob_id" in found ? found : found.grant));
  if ("blob_id" in found || found.received < found.size || deps.active.has(id)) return found;
  await deps.active.run(
    id,
    () => undefined,
    () => completeResumable(deps, found.grant),
  );
  return findResumable(deps, principal.orgId, id);
}

function bodyOf(request: Request): IncomingMessage | undefined {
  return request.body === undefined || request.body === null ? undefined : (request.body as IncomingMessage);
}

function placed(reply: Reply, at: number, expiresAt?: number): Reply {
  const expires = expiresAt === undefined ? {} : { "upload-expires": new Date(expiresAt).toUTCString() };
  return reply.headers({ "upload-offset": String(at), ...expires });
}

function wrongType(): Problem {
  return new Problem("unsupported_media_type", `Send the content as ${TUS_CONTENT_TYPE}.`);
}
