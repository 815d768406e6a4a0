import type { IncomingMessage } from "node:http";
import { fileOfUrl, type FileRow } from "#domain/files/index.ts";
import { isDisconnect, noteBroken } from "#http/index.ts";
import type { FilesSurfaceDeps } from "../deps.ts";
import { noteFile, presigned } from "../access.ts";
import { etagOf } from "../model.ts";
import type { Reply, Request } from "./exchange.ts";
import { isNotModified, rangeOf, type Span, type Validators } from "./conditions.ts";
import { dispositionOf } from "./disposition.ts";

interface ContentParams {
  readonly file_id: string;
}

const found = new WeakMap<IncomingMessage, FileRow>();

/** @throws Problem `presigned_url_invalid`, `presigned_url_expired`, `not_found`, `forbidden`, `rate_limited` */
export function admitDownload(deps: FilesSurfaceDeps): (request: Request, reply: Reply) => Promise<void> {
  return async (request, reply) => {
    deps.host.countAddress(reply, request.ip);
    const { file_id: fileId } = request.params as ContentParams;
    const claims = await deps.urls.checkDownload(fileId, request.query as Record<string, unknown>, deps.clock.nowMs());
    const file = await fileOfUrl(deps, claims);
    noteFile(request, file, { action: "file.download", actor: presigned(claims.grantedBy) });
    found.set(request.raw, file);
  };
}

/**
 * Answers `GET` and `HEAD` of a presigned URL with the content or a range of it. It has the uploaded type and can't run
 * in a browser.
 */
export function download(deps: FilesSurfaceDeps): (request: Request, reply: Reply) => Promise<Reply> {
  return async (request, reply) => {
    const file = found.get(request.raw);
    if (file === undefined) throw new Error("the download was not admitted");
    const validators: Validators = { etag: etagOf(file), modifiedS: Math.floor(file.created_at / 1000) };
    const validated = fieldsOf(validators);
    if (isNotModified(request.headers, validators)) return reply.code(304).headers(validated).send();
    const isHead = request.method === "HEAD";
    // RFC 9110 section 14.2: only GET has a range.
    const range = isHead ? undefined : rangeOf(request.headers, file.size, validators);
    const fields = { ...validated, ...contentFields(file, range) };
    if (isHead) return reply.sendHead(200, fields);
    return send(deps, request, reply, { file, range, fields });
  };
}

interface Sending {
  readonly file: FileRow;
  readonly range: Span | undefined;
  readonly fields: Readonly<Record<string, string>>;
}

async function send(
  deps: FilesSurfaceDeps,
  request: Request,
  reply: Reply,
  { file, range, fields }: Sending,
): Promise<Reply> {
  const reader = await deps.objects.open(file.org_id, file.blob_id, range === undefined ? {} : { range });
  try {
    reply.sendHead(range === undefined ? 200 : 206, fields);
    await reader.pipeTo(reply.raw, { failed: (error) => noteBroken(request, error) });
  } catch (error) {
    // The head was sent, so only a cut connection can tell the client that the content is incomplete.
    reply.raw.destroy();
    if (!isDisconnect(error, request.raw))
      request.log.error({ err: error, file: file.id }, "cannot send a file's content");
  } finally {
    await reader.close();
  }
  return reply;
}

function fieldsOf({ etag, modifiedS }: Validators): Record<string, string> {
  return {
    etag,
    "last-modified": new Date(modifiedS * 1000).toUTCString(),
    // The browser may keep the content, but must ask each time whether it may still use it.
    "cache-control": "private, no-cache",
    "accept-ranges": "bytes",
  };
}

function contentFields(file: FileRow, range: Span | undefined): Record<string, string> {
  const { start, end } = range ?? { start: 0, end: file.size };
  return {
    "content-type": file.content_type,
    "content-length": String(end - start),
    ...(range === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${file.size}` }),
    "content-disposition": dispositionOf(file.filename, file.content_type),
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "referrer-policy": "no-referrer",
  };
}
