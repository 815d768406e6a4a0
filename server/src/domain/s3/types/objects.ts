import type { Reservation } from "#kernel/reservations.ts";
import type { StagedBlob } from "#stores/objects/index.ts";
import type { Acl, Bucket, Retention, Tags } from "./buckets.ts";
import type { S3Caller, S3Owner } from "./principals.ts";

/** Header fields that are stored with an object and sent with it. */
export interface ContentHeaders {
  readonly contentType?: string;
  readonly cacheControl?: string;
  readonly contentDisposition?: string;
  readonly contentEncoding?: string;
  readonly contentLanguage?: string;
  readonly expires?: string;
  readonly websiteRedirectLocation?: string;
}

export type ChecksumAlgorithm = "CRC32" | "CRC32C" | "CRC64NVME" | "SHA1" | "SHA256";
export type ChecksumType = "FULL_OBJECT" | "COMPOSITE";

export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly type: ChecksumType;
  /** Base64. A composite checksum ends with `-N`. */
  readonly value: string;
}

/** The encryption of the stored bytes. Only the gateway's HTTP layer interprets it. It never contains SSE-C keys. */
export interface SseInfo {
  readonly kind: "AES256" | "SSE-C";
  /** Base64 MD5 of an SSE-C key. */
  readonly keyMd5?: string;
  /** Base64: the start of the counter, for content that was sent in one piece. */
  readonly nonce?: string;
  /** Base64: the data key, encrypted by the master key. */
  readonly sealedKey?: string;
}

/** A part of an object that was uploaded in parts. */
export interface ObjectPart {
  readonly number: number;
  readonly size: number;
  /** Base64. */
  readonly checksum?: string;
  /** Base64: the start of the counter of the part's encryption. */
  readonly nonce?: string;
}

/**
 * The version id of an object in a bucket without versions, or of one that was written while versioning was suspended.
 */
export const NULL_VERSION = "null";

/** The answer to a write. It leaves out the parts, because there may be ten thousand. */
export interface WrittenVersion {
  readonly key: string;
  /** `NULL_VERSION` or an id. Clients see it when the bucket is or was versioned. */
  readonly versionId: string;
  readonly isLatest: boolean;
  readonly blobId: string;
  readonly size: number;
  /** Without quotation marks. */
  readonly etag: string;
  readonly modifiedAtMs: number;
  readonly headers: ContentHeaders;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: Tags;
  readonly owner: S3Owner;
  /** Null: only the owner has permissions. */
  readonly acl: Acl | null;
  readonly checksum: Checksum | null;
  readonly sse: SseInfo | null;
  readonly retention: Retention | null;
  readonly legalHold: boolean;
}

export interface ObjectVersion extends WrittenVersion {
  /** Null: the object was sent in one piece. */
  readonly parts: readonly ObjectPart[] | null;
}

/** Conditions on the object's state, checked in the transaction of the write or deletion. */
export interface WriteConditions {
  /** ETags without quotation marks, or `*`. */
  readonly ifMatch?: readonly string[] | "*";
  readonly ifNoneMatch?: readonly string[] | "*";
  /** For deletions. */
  readonly ifSize?: number;
  /** For deletions; compared in seconds. */
  readonly ifModifiedAtMs?: number;
}

export interface ObjectAttributes {
  readonly headers: ContentHeaders;
  readonly metadata: Readonly<Record<string, string>>;
  readonly tags: Tags;
  readonly acl?: Acl | null;
  readonly retention?: Retention | null;
  readonly legalHold?: boolean;
}

export interface PutObject extends ObjectAttributes {
  readonly key: string;
  /** Discarded when the object can't be written. Its digests include `md5` unless `etag` is given. */
  readonly content: StagedBlob;
  readonly etag?: string;
  readonly checksum?: Checksum | null;
  readonly sse?: SseInfo | null;
  readonly conditions?: WriteConditions;
  /** True: the object was sent as a form. */
  readonly isForm?: boolean;
}

export interface CopyObject extends ObjectAttributes {
  readonly key: string;
  /** The result of `head` in `sourceBucket`. Both buckets belong to one organization. */
  readonly source: ObjectVersion;
  readonly conditions?: WriteConditions;
}

export interface ObjectName {
  readonly key: string;
  /** Default: the current version. */
  readonly versionId?: string | undefined;
}

export interface DeleteObject extends ObjectName {
  /** Ignores a lock in governance mode. The caller has checked the permission. */
  readonly bypassGovernance?: boolean;
  readonly conditions?: WriteConditions;
}

export interface Deleted {
  readonly key: string;
  /** The version that was deleted for good, when one was named. */
  readonly versionId: string | null;
  /** True: a delete marker was added or deleted. */
  readonly deleteMarker: boolean;
  /** The version id of the delete marker; null in a bucket without versions. */
  readonly markerVersionId: string | null;
}

export interface S3Objects {
  /**
   * Finds a version.
   * @throws S3Error `NoSuchKey` (with the fields of a delete marker when there is one), `NoSuchVersion`,
   * `MethodNotAllowed` when the named version is a delete marker
   */
  head(bucket: Bucket, name: ObjectName): Promise<ObjectVersion>;
  /**
   * Refuses what `put` would refuse, before a byte of the body is read.
   * @throws S3Error `PreconditionFailed`, `NoSuchKey`
   */
  checkPut(
    bucket: Bucket,
    put: { readonly key: string; readonly conditions?: WriteConditions | undefined },
  ): Promise<void>;
  /**
   * Reserves quota for the known bytes of an object or a part, until `work` has counted them or failed.
   * @throws S3Error `QuotaExceeded`
   */
  reserve<T>(bucket: Bucket, bytes: number, work: (reservation: Reservation) => Promise<T>): Promise<T>;
  /** @throws S3Error `PreconditionFailed`, `NoSuchKey` (If-Match without an object), `QuotaExceeded`, `KeyTooLongError` */
  put(caller: S3Caller, bucket: Bucket, object: PutObject): Promise<WrittenVersion>;
  /** Copies an object: the new version has the same content. @throws as `put` */
  copy(caller: S3Caller, bucket: Bucket, copy: CopyObject): Promise<WrittenVersion>;
  /**
   * Deletes an object or a version. Deleting an absent object succeeds.
   * @throws S3Error `AccessDenied` (locked), `PreconditionFailed`
   */
  delete(caller: S3Caller, bucket: Bucket, object: DeleteObject): Promise<Deleted>;
  /** Deletes objects in their order. Each succeeds or fails separately. */
  deleteMany(
    caller: S3Caller,
    bucket: Bucket,
    objects: readonly DeleteObject[],
  ): Promise<readonly (Deleted | { readonly error: unknown })[]>;
  /** Resolves with the changed version. @throws as `head` */
  setTags(caller: S3Caller, bucket: Bucket, name: ObjectName, tags: Tags): Promise<ObjectVersion>;
  setAcl(caller: S3Caller, bucket: Bucket, name: ObjectName, acl: Acl): Promise<ObjectVersion>;
  /** @throws S3Error `AccessDenied` when it would shorten a lock, `InvalidRequest` without object lock */
  setRetention(
    caller: S3Caller,
    bucket: Bucket,
    name: ObjectName,
    change: { readonly retention: Retention | null; readonly bypassGovernance: boolean },
  ): Promise<ObjectVersion>;
  setLegalHold(caller: S3Caller, bucket: Bucket, name: ObjectName, legalHold: boolean): Promise<ObjectVersion>;
}
