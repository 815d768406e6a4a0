import type { IncomingMessage } from "node:http";
import type { Principal } from "#domain/identity/index.ts";
import {
  CONTENT_OWNER,
  deleteReference,
  findManifest,
  hasManifest,
  isTag,
  manifestUnknown,
  MANIFEST_BYTES_MAX,
  parseDigest,
  putManifest as keepManifest,
  imageQuota,
  quotaWarning,
  RegistryError,
  type ManifestRow,
} from "#domain/registry/index.ts";
import { reserveQuota } from "#domain/quotas/index.ts";
import { readBody, watchIdle } from "#http/index.ts";
import type { Reply } from "../exchange.ts";
import type { RegistrySurfaceDeps } from "../deps.ts";
import { pathOf, requireDigest, type AnyExchange, type Exchange } from "../model.ts";
import { etagOf, namesEtag } from "./blob.ts";
import { RegistryRefusal } from "../refusal.ts";

/** The most tags (`tag`) of one request; clients send fewer. */
const TAGS_MAX = 100;

export async function headManifest(deps: RegistrySurfaceDeps, exchange: Exchange<"manifest">): Promise<Reply> {
  const row = await found(deps, exchange);
  return exchange.reply.sendHead(200, { ...fieldsOf(exchange, row), "content-length": String(row.size) });
}

/** `GET`: sends the pushed bytes with the pushed type. */
export async function getManifest(deps: RegistrySurfaceDeps, exchange: Exchange<"manifest">): Promise<Reply> {
  const { reply, request, repository } = exchange;
  const row = await found(deps, exchange);
  deps.pulls.count(repository, row.digest);
  void reply.headers(fieldsOf(exchange, row));
  if (namesEtag(request.headers["if-none-match"], row.digest)) return reply.code(304).send();
  const reader = await deps.objects.open(CONTENT_OWNER, row.blob_id);
  const chunks: Buffer[] = [];
  for await (const chunk of reader.chunks()) chunks.push(chunk);
  return reply.header("content-length", String(row.size)).send(Buffer.concat(chunks));
}

async function found(deps: RegistrySurfaceDeps, { target, repository }: Exchange<"manifest">): Promise<ManifestRow> {
  requireReference(target.reference);
  return findManifest(deps, repository, target.reference);
}

function fieldsOf({ target }: Exchange<"manifest">, row: ManifestRow): Record<string, string> {
  const isDigest = parseDigest(target.reference) !== undefined;
  return {
    "content-type": row.media_type,
    "docker-content-digest": row.digest,
    etag: etagOf(row.digest),
    "cache-control": isDigest ? "private, max-age=31536000, immutable" : "private, no-cache",
    "x-content-type-options": "nosniff",
  };
}

/** `PUT`: stores a manifest by digest or tag. By digest, the request may name any number of tags. */
export async function putManifest(deps: RegistrySurfaceDeps, exchange: Exchange<"manifest">): Promise<Reply> {
  const { target, request, reply, repository } = exchange;
  const isDigest = target.reference.includes(":");
  const named = isDigest ? requireDigest(target.reference) : undefined;
  const tags = tagsOf(exchange, isDigest);
  const sent = await contentOf(deps, exchange);
  const contentType = request.headers["content-type"];
  const algorithm = named?.algorithm ?? "sha256";
  const { content, digest, sha256, manifest } = await deps.manifests.read({
    bytes: sent,
    contentType,
    algorithm,
    expected: named?.text,
  });
  const origin = { principal: principalOf(exchange), ip: request.ip, requestId: request.id };
  // An existing manifest needs no more bytes, so it can get tags even when the quota is used up.
  const bytes = (await hasManifest(deps, repository, digest.text)) ? 0 : content.length;
  const { orgId } = repository;
  await reserveQuota(deps, imageQuota(deps.settings), { orgId, bytes }, (reservation) =>
    reservation.settle(() => keepManifest(deps, origin, repository, { content, digest, sha256, manifest, tags })),
  );
  const warning = await quotaWarning(deps.metadata.read, orgId, deps.settings);
  // Distribution specification, "Warnings": no other code, no date.
  if (warning !== undefined) void reply.header("warning", `299 - "${warning}"`);
  if (manifest.subject !== null) void reply.header("oci-subject", manifest.subject);
  if (isDigest && tags.length > 0) void reply.header("oci-tag", tags.join(", "));
  return reply
    .code(201)
    .headers({
      location: pathOf(repository, `manifests/${digest.text}`),
      "docker-content-digest": digest.text,
      "content-length": "0",
    })
    .send();
}

function principalOf({ caller }: Pick<AnyExchange, "caller">): Principal {
  if (caller.principal === null) throw new Error("nobody may push or delete");
  return caller.principal;
}

function tagsOf({ target, query }: Exchange<"manifest">, isDigest: boolean): string[] {
  const tags = isDigest ? [...new Set(query.getAll("tag"))] : [target.reference];
  if (tags.length > TAGS_MAX)
    throw new RegistryRefusal("UNSUPPORTED", `a manifest can get ${TAGS_MAX} tags at most in one request`, {
      status: 414,
    });
  for (const tag of tags) if (!isTag(tag)) throw badTag();
  return tags;
}

async function contentOf(deps: RegistrySurfaceDeps, { request }: Exchange<"manifest">): Promise<Buffer<ArrayBuffer>> {
  if (request.body === undefined || request.body === null)
    throw new RegistryError("MANIFEST_INVALID", "the manifest is not valid: the body is empty");
  const idle = watchIdle(request.raw, deps.uploadIdleTimeoutMs);
  idle.signal.addEventListener("abort", () => void request.raw.destroy());
  try {
    return await readBody(request.body as IncomingMessage, MANIFEST_BYTES_MAX);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "body_too_large") throw error;
    throw new RegistryRefusal("SIZE_INVALID", `a manifest has ${MANIFEST_BYTES_MAX} bytes at most`, { status: 413 });
  } finally {
    idle.release();
  }
}

/** `DELETE`: deletes a tag, or a manifest with all its tags. */
export async function deleteManifest(deps: RegistrySurfaceDeps, exchange: Exchange<"manifest">): Promise<Reply> {
  const { target, repository, request, reply } = exchange;
  requireReference(target.reference);
  const origin = { principal: principalOf(exchange), ip: request.ip, requestId: request.id };
  await deleteReference(deps, origin, repository, target.reference);
  return reply.code(202).header("content-length", "0").send();
}

/** @throws RegistryError `DIGEST_INVALID`, or `MANIFEST_UNKNOWN` for text that can't be a tag */
function requireReference(reference: string): void {
  if (reference.includes(":")) requireDigest(reference);
  else if (!isTag(reference)) throw manifestUnknown();
}

function badTag(): RegistryError {
  return new RegistryError(
    "MANIFEST_INVALID",
    "a tag has 1 to 128 letters, digits, _, . and -, and does not begin with . or -",
  );
}
