import type { Reservation } from "#kernel/reservations.ts";
import type { StagedBlob } from "#stores/objects/index.ts";
import type { Acl, Bucket, Retention, Tags } from "./buckets.ts";
import type { S3Caller, S3Owner } from "./principals.ts";

/** Header fields that are kept with an object and sent with it. */
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
  /** Base64; of a composite one with `-N` behind. */
  readonly value: string;
}

/** How the stored bytes are encrypted. What it means is for the gateway's wire; SSE-C keys are never in it. */
export interface SseInfo {
  readonly kind: "AES256" | "SSE-C";
  /** Base64 MD5 of an SSE-C key. */
  readonly keyMd5?: string;
  /** Base64: begins the counter, for content that came in one piece. */
  readonly nonce?: string;
  /** Base64: the data key under the master key. */
  readonly sealedKey?: string;
}

/** A part of an object that came in parts. */
export interface ObjectPart {
  readonly number: number;
  readonly size: number;
  /** Base64. */
  readonly checksum?: string;
  /** Base64: begins the counter of the part's encryption. */
  readonly nonce?: string;
}

/** The version id of an object whose bucket has no versions, or that was written while versioning was suspended. */
export const NULL_VERSION = "null";

/** The answer to a write: a version without its parts, because there may be ten thousand. */
export interface WrittenVersion {
  readonly key: string;
  /** `NULL_VERSION` or an id. Shown to clients when the bucket is, or was, versioned. */
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
  /** Null: the owner's alone. */
  readonly acl: Acl | null;
  readonly checksum: Checksum | null;
  readonly sse: SseInfo | null;
  readonly retention: Retention | null;
  readonly legalHold: boolean;
}

export interface ObjectVersion extends WrittenVersion {
  /** Null: it came in one piece. */
  readonly parts: readonly ObjectPart[] | null;
}

export interface DeleteMarker {
  readonly key: string;
  readonly versionId: string;
  readonly isLatest: boolean;
  readonly modifiedAtMs: number;
  readonly owner: S3Owner;
}

/** The object's state that a write or deletion needs, checked in its transaction. */
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
  /** Given up when the object can't be put. Its digests have `md5` unless `etag` is given. */
  readonly content: StagedBlob;
  readonly etag?: string;
  readonly checksum?: Checksum | null;
  readonly sse?: SseInfo | null;
  readonly conditions?: WriteConditions;
  /** True: it came as a form. */
  readonly isForm?: boolean;
}

export interface CopyObject extends ObjectAttributes {
  readonly key: string;
  /** As `head` gave it, of `sourceBucket`; both buckets are of one organization. */
  readonly source: ObjectVersion;
  readonly conditions?: WriteConditions;
}

export interface ObjectName {
  readonly key: string;
  /** The present one when not given. */
  readonly versionId?: string | undefined;
}

export interface DeleteObject extends ObjectName {
  /** Passes a lock in governance mode; the right to do so was checked. */
  readonly bypassGovernance?: boolean;
  readonly conditions?: WriteConditions;
}

export interface Deleted {
  readonly key: string;
  /** The version that was deleted for good, when one was named. */
  readonly versionId: string | null;
  /** True: a delete marker was put there, or taken away. */
  readonly deleteMarker: boolean;
  /** The version of the delete marker; null where the bucket has no versions. */
  readonly markerVersionId: string | null;
}

export interface S3Objects {
  /**
   * @throws S3Error `NoSuchKey` (with the headers of a delete marker where there is one), `NoSuchVersion`, `MethodNotAllowed` for the version
   * of a delete marker
   */
  head(bucket: Bucket, name: ObjectName): Promise<ObjectVersion>;
  /** Refuses early what `put` would refuse, before a byte is read. @throws S3Error `PreconditionFailed`, `NoSuchKey` */
  checkPut(
    bucket: Bucket,
    put: { readonly key: string; readonly conditions?: WriteConditions | undefined },
  ): Promise<void>;
  /** Reserves the bytes of an object or a part, as many as are known, until `work` has counted them or failed. @throws S3Error `QuotaExceeded` */
  reserve<T>(bucket: Bucket, bytes: number, work: (reservation: Reservation) => Promise<T>): Promise<T>;
  /** @throws S3Error `PreconditionFailed`, `NoSuchKey` (If-Match without an object), `QuotaExceeded`, `KeyTooLongError` */
  put(caller: S3Caller, bucket: Bucket, object: PutObject): Promise<WrittenVersion>;
  /** Refers to the same content. @throws as `put` */
  copy(caller: S3Caller, bucket: Bucket, copy: CopyObject): Promise<WrittenVersion>;
  /**
   * An absent object counts as deleted.
   * @throws S3Error `AccessDenied` (locked), `PreconditionFailed`
   */
  delete(caller: S3Caller, bucket: Bucket, object: DeleteObject): Promise<Deleted>;
  /** Each of them for itself, in their order. */
  deleteMany(
    caller: S3Caller,
    bucket: Bucket,
    objects: readonly DeleteObject[],
  ): Promise<readonly (Deleted | { readonly error: unknown })[]>;
  /** @throws as `head`; resolves with the version that was changed */
  setTags(caller: S3Caller, bucket: Bucket, name: ObjectName, tags: Tags): Promise<ObjectVersion>;
  setAcl(caller: S3Caller, bucket: Bucket, name: ObjectName, acl: Acl): Promise<ObjectVersion>;
  /** @throws S3Error `AccessDenied` for what would shorten a lock, `InvalidRequest` without object lock */
  setRetention(
    caller: S3Caller,
    bucket: Bucket,
    name: ObjectName,
    change: { readonly retention: Retention | null; readonly bypassGovernance: boolean },
  ): Promise<ObjectVersion>;
  setLegalHold(caller: S3Caller, bucket: Bucket, name: ObjectName, legalHold: boolean): Promise<ObjectVersion>;
}
