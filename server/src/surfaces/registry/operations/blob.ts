import { CONTENT_OWNER, deleteBlob as removeBlob, findBlob, findBlobToKeep } from "#domain/registry/index.ts";
import { isDisconnect, noteBroken } from "#http/index.ts";
import { type Exchange, requireDigest } from "../model.ts";
import type { Reply } from "../exchange.ts";
import type { RegistrySurfaceDeps } from "../deps.ts";
import { rangeOf, type Span } from "../wire/ranges.ts";

/** `HEAD`: renews the lease of the blob for the duration of a push, since clients skip the upload of a present blob. */
export async function headBlob(deps: RegistrySurfaceDeps, exchange: Exchange<"blob">): Promise<Reply> {
  const { target, repository, reply } = exchange;
  const { text } = requireDigest(target.digest);
  const { size } = await findBlobToKeep(deps, repository, text);
  return reply.sendHead(200, { ...contentFields(text), "content-length": String(size) });
}

/** `GET`: sends the content or a range of it. */
export async function getBlob(deps: RegistrySurfaceDeps, exchange: Exchange<"blob">): Promise<Reply> {
  const { target, repository, request, reply } = exchange;
  const { text } = requireDigest(target.digest);
  const { size, blob_id: blobId } = await findBlob(deps, repository, text);
  const fields = contentFields(text);
  if (namesEtag(request.headers["if-none-match"], text)) return reply.code(304).headers(fields).send();
  const range = rangeOf(request.headers, size, etagOf(text));
  return send(deps, exchange, { blobId, size, range, fields });
}

export async function deleteBlob(deps: RegistrySurfaceDeps, exchange: Exchange<"blob">): Promise<Reply> {
  const { target, repository, reply } = exchange;
  await removeBlob(deps, repository, requireDigest(target.digest).text);
  return reply.code(202).header("content-length", "0").send();
}

interface Sending {
  readonly blobId: string;
  readonly size: number;
  readonly range: Span | undefined;
  readonly fields: Readonly<Record<string, string>>;
}

async function send(deps: RegistrySurfaceDeps, exchange: Exchange<"blob">, sending: Sending): Promise<Reply> {
  const { request, reply } = exchange;
  const { blobId, size, range, fields } = sending;
  const reader = await deps.objects.open(CONTENT_OWNER, blobId, range === undefined ? {} : { range });
  try {
    const { start, end } = range ?? { start: 0, end: size };
    const part = range === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${size}` };
    reply.sendHead(range === undefined ? 200 : 206, { ...fields, ...part, "content-length": String(end - start) });
    await reader.pipeTo(reply.raw, { failed: (error) => noteBroken(request, error) });
  } catch (error) {
    // The head was sent, so only a cut connection can tell the client that the content is incomplete.
    reply.raw.destroy();
    if (!isDisconnect(error, request.raw))
      request.log.error({ err: error, blob: blobId }, "cannot send a blob of an image");
  } finally {
    await reader.close();
  }
  return reply;
}

/** Browsers never run the content as a page. Caches may keep it for good, since a digest names it. */
function contentFields(digest: string): Record<string, string> {
  return {
    "docker-content-digest": digest,
    etag: etagOf(digest),
    "cache-control": "private, max-age=31536000, immutable",
    "accept-ranges": "bytes",
    "content-type": "application/octet-stream",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
  };
}

export function etagOf(digest: string): string {
  return `"${digest}"`;
}

export function namesEtag(field: string | undefined, digest: string): boolean {
  return field !== undefined && (field.trim() === "*" || field.includes(etagOf(digest)));
}
