import type { Writer } from "#stores/metadata/index.ts";
import { reaches } from "../access/access.ts";
import { emit, type EventName } from "../events/emit.ts";
import { S3Error } from "../errors.ts";
import type {
  Bucket,
  CopyObject,
  ObjectAttributes,
  PutObject,
  S3Caller,
  S3Owner,
  WriteConditions,
  WrittenVersion,
} from "../types/index.ts";
import { requireConditions } from "./conditions.ts";
import { detailColumn, keyBytes, ownerColumn, tagsColumn, writtenOf, type Detail } from "./detail.ts";
import { defaultRetention, requireObjectLock } from "./lock.ts";
import { currentObject } from "./store.ts";
import { writeVersion, type NewVersion, type WriteDeps, type WriteOptions } from "./version.ts";

const KEY_BYTES_MAX = 1024;

/** @throws S3Error `KeyTooLongError` */
export function requireKey(key: string): void {
  if (key.length > KEY_BYTES_MAX || Buffer.byteLength(key) > KEY_BYTES_MAX)
    throw new S3Error("KeyTooLongError", undefined, { fields: { MaxSizeAllowed: String(KEY_BYTES_MAX) } });
}

/**
 * Returns the owner of a written object. It is the bucket's owner when the caller belongs to it, or when the bucket's
 * ownership rule says so.
 */
export function writerOf(caller: S3Caller, bucket: Bucket, isGivenUp = false): S3Owner {
  const { principal } = caller;
  const { ownership } = bucket.config;
  const isBucketOwners =
    ownership === "BucketOwnerEnforced" ||
    (ownership === "BucketOwnerPreferred" && isGivenUp) ||
    reaches(principal, bucket);
  if (isBucketOwners) return bucket.owner;
  return principal.kind === "key" ? principal.owner : ANONYMOUS;
}

const ANONYMOUS: S3Owner = { id: "anonymous", displayName: "anonymous" };

/** Returns the columns and the JSON that describe an object, without its content. */
export function attributesOf(
  caller: S3Caller,
  bucket: Bucket,
  attributes: ObjectAttributes,
  nowMs: number,
): { owner: string; tags: string; detail: Detail } {
  const { headers, metadata, tags, acl = null, retention = null, legalHold = false } = attributes;
  if (retention !== null || legalHold) requireObjectLock(bucket);
  const lock = retention ?? defaultRetention(bucket, nowMs);
  const isGivenUp = acl?.grants.some(
    ({ grantee, permission }) =>
      grantee.kind === "user" && grantee.id === bucket.owner.id && permission === "FULL_CONTROL",
  );
  const owner = writerOf(caller, bucket, isGivenUp === true);
  const isKept = acl !== null && bucket.config.ownership !== "BucketOwnerEnforced";
  return {
    owner: ownerColumn(owner, bucket.owner),
    tags: tagsColumn(tags),
    detail: {
      headers,
      metadata,
      ...(isKept ? { acl: { ...acl, owner } } : {}),
      ...(lock === undefined ? {} : { retention: lock }),
      ...(legalHold === true ? { legalHold } : {}),
    },
  };
}

export async function checkPut(
  deps: WriteDeps,
  bucket: Bucket,
  put: { readonly key: string; readonly conditions?: WriteConditions | undefined },
): Promise<void> {
  requireKey(put.key);
  if (put.conditions !== undefined)
    requireConditions(await currentObject(deps.metadata.read, bucket.id, keyBytes(put.key)), put.conditions, put.key);
}

export async function putObject(
  deps: WriteDeps,
  caller: S3Caller,
  bucket: Bucket,
  put: PutObject,
): Promise<WrittenVersion> {
  const { content, checksum, sse, conditions } = put;
  try {
    requireKey(put.key);
    const etag = put.etag ?? content.digests.md5;
    if (etag === undefined) throw new Error("cannot put an object: its content came without its MD5");
    return await deps.metadata.write(async (tx) => {
      const { owner, tags, detail } = attributesOf(caller, bucket, put, deps.clock.nowMs());
      return writeAndNotify(
        deps,
        tx,
        bucket,
        {
          key: keyBytes(put.key),
          blob_id: content.id,
          size: content.size,
          etag,
          owner,
          tags,
          detail: detailColumn({ ...detail, checksum, sse }),
          parts: null,
        },
        { content, conditions, caller, name: put.isForm === true ? "ObjectCreated:Post" : "ObjectCreated:Put" },
      );
    });
  } catch (error) {
    await deps.objects.discard(content);
    throw error;
  }
}

/** Writes another version with the same content. */
export async function copyObject(
  deps: WriteDeps,
  caller: S3Caller,
  bucket: Bucket,
  copy: CopyObject,
): Promise<WrittenVersion> {
  requireKey(copy.key);
  const { source, conditions } = copy;
  return deps.metadata.write(async (tx) => {
    const { owner, tags, detail } = attributesOf(caller, bucket, copy, deps.clock.nowMs());
    return writeAndNotify(
      deps,
      tx,
      bucket,
      {
        key: keyBytes(copy.key),
        blob_id: source.blobId,
        size: source.size,
        etag: source.etag,
        owner,
        tags,
        detail: detailColumn({ ...detail, checksum: source.checksum, sse: source.sse }),
        parts: source.parts === null ? null : JSON.stringify(source.parts),
      },
      { content: source.blobId, conditions, caller, name: "ObjectCreated:Copy" },
    );
  });
}

/** Writes the version and queues its notifications. */
export async function writeAndNotify(
  deps: WriteDeps,
  tx: Writer,
  bucket: Bucket,
  version: NewVersion,
  options: WriteOptions & { readonly caller: S3Caller; readonly name: EventName },
): Promise<WrittenVersion> {
  const { caller, name } = options;
  const row = await writeVersion(deps, tx, bucket, version, options);
  const written = writtenOf(row, bucket, true);
  const { key, versionId, size, etag } = written;
  await emit(deps, tx, bucket, { name, key, versionId, size, etag, seq: row.seq, caller });
  return written;
}
