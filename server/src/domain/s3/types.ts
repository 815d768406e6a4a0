import type { Scope } from "@mooring/contract";
import type { ByteRange, StagedBlob } from "#stores/objects/index.ts";

/** Who makes a request. */
export type S3Principal = S3KeyPrincipal | S3Anonymous;

export interface S3KeyPrincipal {
  readonly kind: "key";
  /** `key_…`, for the audit log. */
  readonly id: string;
  readonly accessKeyId: string;
  readonly orgId: string;
  readonly orgSlug: string;
  /** Null: reaches every project of the organization that all of it may see. */
  readonly projectId: string | null;
  /** Cut to what the key's creator holds at this moment; of a key for reading, what reads. */
  readonly scopes: ReadonlySet<Scope>;
  /** The only buckets that it reaches; null: no such limit. */
  readonly buckets: readonly string[] | null;
  /** Keys that it reaches begin with this; empty: all of them. */
  readonly prefix: string;
  readonly owner: S3Owner;
}

/** Without a signature: reaches what a bucket policy or an access control list opens to everybody. */
export interface S3Anonymous {
  readonly kind: "anonymous";
  /** Whose buckets are meant; null: nobody's. */
  readonly orgId: string | null;
}

/** What S3 calls a canonical user: a project, or for keys of the organization the organization. */
export interface S3Owner {
  /** `proj_…` or `org_…`. */
  readonly id: string;
  /** Its slug. */
  readonly displayName: string;
}

export interface S3Caller {
  readonly principal: S3Principal;
  readonly ip: string | null;
  readonly requestId: string | null;
}

/** An access key that may be used at this moment. */
export interface AdmittedKey {
  readonly principal: S3KeyPrincipal;
  /** Never changes for an access key id, so that what is derived from it may be kept. */
  readonly secret: string;
}

export interface S3Keys {
  /**
   * The key as it is now; undefined when it is unknown, revoked or expired. To be asked for every request: whatever the answer
   * rests on is read anew when anything changed.
   */
  admit(accessKeyId: string): Promise<AdmittedKey | undefined>;
  /** Says that a request was made; kept at intervals. */
  used(principal: S3KeyPrincipal): void;
  /** Whoever signs nothing. `orgSlug` where the address of the request names an organization. */
  anonymous(orgSlug?: string): Promise<S3Anonymous>;
}

export type VersioningState = "unversioned" | "enabled" | "suspended";

/** A bucket, as a principal found it. */
export interface Bucket {
  /** The app's id. */
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly owner: S3Owner;
  readonly visibility: "organization" | "private";
  readonly versioning: VersioningState;
  readonly config: BucketConfig;
}

/** What was set for a bucket; what is absent was not set. */
export interface BucketConfig {
  readonly acl?: Acl;
  readonly cors?: readonly CorsRule[];
  /** JSON as it was sent. */
  readonly policy?: string;
  readonly lifecycle?: readonly LifecycleRule[];
  readonly tagging?: Tags;
  readonly notification?: readonly NotificationRule[];
  readonly encryption?: { readonly algorithm: string; readonly keyId?: string; readonly bucketKey?: boolean };
  readonly ownership?: ObjectOwnership;
  readonly publicAccessBlock?: PublicAccessBlock;
  readonly objectLock?: { readonly defaultRetention?: DefaultRetention };
}

export type BucketConfigKind = keyof BucketConfig;

export type ObjectOwnership = "BucketOwnerEnforced" | "BucketOwnerPreferred" | "ObjectWriter";

export interface PublicAccessBlock {
  readonly blockPublicAcls: boolean;
  readonly ignorePublicAcls: boolean;
  readonly blockPublicPolicy: boolean;
  readonly restrictPublicBuckets: boolean;
}

export interface CorsRule {
  readonly id?: string;
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly maxAgeS?: number;
}

/** Name to value, in the order in which they were sent. */
export type Tags = Readonly<Record<string, string>>;

export type LockMode = "GOVERNANCE" | "COMPLIANCE";
export type DefaultRetention = { readonly mode: LockMode } & ({ readonly days: number } | { readonly years: number });

export interface Retention {
  readonly mode: LockMode;
  readonly untilMs: number;
}

export interface LifecycleRule {
  readonly id: string;
  readonly enabled: boolean;
  readonly filter: LifecycleFilter;
  /** True: the rule was sent with the old `Prefix` and not with a `Filter`. */
  readonly hasPlainPrefix?: boolean;
  readonly expiration?: {
    readonly days?: number;
    readonly dateMs?: number;
    readonly expiredObjectDeleteMarker?: boolean;
  };
  readonly noncurrentExpiration?: { readonly days: number; readonly newerVersions?: number };
  readonly abortUploadsAfterDays?: number;
}

export interface LifecycleFilter {
  readonly prefix?: string;
  readonly tags?: Tags;
  readonly sizeAbove?: number;
  readonly sizeBelow?: number;
  /** True: sent inside `And`. */
  readonly isAnd?: boolean;
}

export interface NotificationRule {
  readonly id: string;
  readonly kind: "topic" | "queue" | "function";
  /** `arn:mooring:webhook:::{name of a destination}` */
  readonly destinationArn: string;
  /** For example `s3:ObjectCreated:*`. */
  readonly events: readonly string[];
  readonly prefix?: string;
  readonly suffix?: string;
}

export type AclPermission = "FULL_CONTROL" | "READ" | "WRITE" | "READ_ACP" | "WRITE_ACP";

export type Grantee =
  | { readonly kind: "user"; readonly id: string; readonly displayName?: string }
  | { readonly kind: "group"; readonly uri: string };

export interface Acl {
  readonly owner: S3Owner;
  readonly grants: readonly { readonly grantee: Grantee; readonly permission: AclPermission }[];
}

export const CANNED_ACLS = [
  "private",
  "public-read",
  "public-read-write",
  "authenticated-read",
  "bucket-owner-read",
  "bucket-owner-full-control",
  "aws-exec-read",
  "log-delivery-write",
] as const;
export type CannedAcl = (typeof CANNED_ACLS)[number];

export interface ListedBucket {
  readonly name: string;
  readonly createdAtMs: number;
}

export interface S3Buckets {
  /** @throws S3Error `NoSuchBucket` also when the principal may not know of it; whether it may do anything is for `access` to say */
  find(principal: S3Principal, name: string): Promise<Bucket>;
  /** In the order of their names. `after`: begins behind this name. One more than `max` is not given; `next` says there are more. */
  list(
    principal: S3Principal,
    page: { readonly prefix: string; readonly after: string; readonly max: number },
  ): Promise<{ readonly buckets: readonly ListedBucket[]; readonly next: string | null }>;
  /**
   * Makes an app. `project`: slug or id of its project, for a key of the organization; its only or its oldest visible one when not given.
   * @throws S3Error `InvalidBucketName`, `BucketAlreadyExists`, `BucketAlreadyOwnedByYou`, `AccessDenied`, `InvalidArgument` (the project)
   */
  create(caller: S3Caller, options: NewBucket): Promise<Bucket>;
  /** Removes the app. @throws S3Error `BucketNotEmpty`, `AccessDenied` */
  delete(caller: S3Caller, bucket: Bucket): Promise<void>;
  /** Sets a part of the configuration, null: takes it away. @throws S3Error by what the value lacks */
  configure<K extends BucketConfigKind>(
    caller: S3Caller,
    bucket: Bucket,
    change: { readonly kind: K; readonly value: NonNullable<BucketConfig[K]> | null },
  ): Promise<Bucket>;
  /** @throws S3Error `InvalidBucketState` when object lock forbids it */
  setVersioning(caller: S3Caller, bucket: Bucket, state: "enabled" | "suspended"): Promise<Bucket>;
  /** Slugs of those canonical users that are of the bucket's organization. */
  displayNames(bucket: Bucket, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Whether everybody may read, by policy or list. */
  isPublic(bucket: Bucket): boolean;
}

export interface NewBucket {
  readonly name: string;
  readonly project?: string;
  readonly acl?: Acl;
  readonly ownership?: ObjectOwnership;
  readonly objectLock?: boolean;
}

/** What a request is, for policies. */
export interface RequestConditions {
  readonly sourceIp: string | null;
  readonly isSecure: boolean;
  /** Values by condition key in lower case (`s3:prefix`, `s3:x-amz-acl`, `s3:delimiter`, `aws:referer`, `s3:requestobjecttag/NAME`), as far as the request has them. */
  readonly values?: Readonly<Record<string, string | readonly string[]>>;
}

export interface AccessRequest extends RequestConditions {
  /** As S3 names it: `s3:GetObject`. */
  readonly action: string;
  /** Null: about no bucket (`s3:ListAllMyBuckets`, `s3:CreateBucket`). */
  readonly bucket: Bucket | null;
  readonly key?: string;
  readonly versionId?: string;
}

export interface S3Access {
  /**
   * The one permission check, to be made before anything about the resource is told. A policy's denial wins; then what the key may do by
   * itself counts; then what a policy or an access control list opens to others of the organization, or to everybody.
   * @throws S3Error `AccessDenied`
   */
  require(principal: S3Principal, request: AccessRequest): Promise<void>;
  /** The same as a question. */
  allows(principal: S3Principal, request: AccessRequest): Promise<boolean>;
}

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

/** Of an object whose bucket has no versions, and of what was written while versioning was suspended. */
export const NULL_VERSION = "null";

export interface ObjectVersion {
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
  /** Null: it came in one piece. */
  readonly parts: readonly ObjectPart[] | null;
  readonly retention: Retention | null;
  readonly legalHold: boolean;
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
  /** Of deletions. */
  readonly ifSize?: number;
  /** Of deletions; seconds count. */
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
  /** Of the delete marker; null where the bucket has no versions. */
  readonly markerVersionId: string | null;
}

export interface S3Objects {
  /**
   * @throws S3Error `NoSuchKey` (with the headers of a delete marker where there is one), `NoSuchVersion`, `MethodNotAllowed` for the version
   * of a delete marker
   */
  head(bucket: Bucket, name: ObjectName): Promise<ObjectVersion>;
  /** Refuses early what `put` would refuse, before a byte is read. @throws S3Error `PreconditionFailed`, `NoSuchKey`, `QuotaExceeded` */
  checkPut(
    bucket: Bucket,
    put: { readonly key: string; readonly size: number; readonly conditions?: WriteConditions | undefined },
  ): Promise<void>;
  /** @throws S3Error `PreconditionFailed`, `NoSuchKey` (If-Match without an object), `QuotaExceeded`, `KeyTooLongError` */
  put(caller: S3Caller, bucket: Bucket, object: PutObject): Promise<ObjectVersion>;
  /** Refers to the same content. @throws as `put` */
  copy(caller: S3Caller, bucket: Bucket, copy: CopyObject): Promise<ObjectVersion>;
  /** Of what is not there it says that it was deleted. @throws S3Error `AccessDenied` (locked), `PreconditionFailed` */
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

/** One line of a listing. */
export interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly modifiedAtMs: number;
  readonly owner: S3Owner;
  readonly checksumAlgorithm: ChecksumAlgorithm | null;
  readonly checksumType: ChecksumType | null;
}

export interface ListedVersion extends ListedObject {
  readonly versionId: string;
  readonly isLatest: boolean;
  readonly isDeleteMarker: boolean;
}

export interface ListQuery {
  readonly prefix: string;
  /** Empty: none. */
  readonly delimiter: string;
  readonly max: number;
}

export interface ObjectPage {
  readonly objects: readonly ListedObject[];
  readonly prefixes: readonly string[];
  /** The last key or prefix of the page (v1's NextMarker); null: nothing follows. */
  readonly nextMarker: string | null;
  /** The same as an opaque text that works for the same prefix and delimiter only (v2). */
  readonly nextToken: string | null;
}

export interface VersionPage {
  readonly versions: readonly ListedVersion[];
  readonly prefixes: readonly string[];
  readonly next: { readonly keyMarker: string; readonly versionIdMarker: string } | null;
}

export interface S3Listings {
  /** In the order of bytes. `after`: behind this key, or this common prefix with all that it stands for; `token` wins over it. @throws S3Error `InvalidArgument` */
  objects(bucket: Bucket, query: ListQuery & { readonly after?: string; readonly token?: string }): Promise<ObjectPage>;
  /** Of a key the newest first. */
  versions(
    bucket: Bucket,
    query: ListQuery & { readonly keyMarker?: string; readonly versionIdMarker?: string },
  ): Promise<VersionPage>;
  uploads(
    bucket: Bucket,
    query: ListQuery & { readonly keyMarker?: string; readonly uploadIdMarker?: string },
  ): Promise<UploadPage>;
}

export interface Upload {
  readonly id: string;
  readonly key: string;
  readonly initiatedAtMs: number;
  readonly owner: S3Owner;
  readonly initiator: S3Owner;
  readonly checksumAlgorithm: ChecksumAlgorithm | null;
  readonly checksumType: ChecksumType | null;
  readonly sse: SseInfo | null;
}

export interface UploadPage {
  readonly uploads: readonly Upload[];
  readonly prefixes: readonly string[];
  readonly next: { readonly keyMarker: string; readonly uploadIdMarker: string } | null;
}

export interface UploadedPart {
  readonly number: number;
  readonly size: number;
  readonly etag: string;
  readonly modifiedAtMs: number;
  /** Base64. */
  readonly checksum: string | null;
}

export interface NewUpload extends ObjectAttributes {
  readonly key: string;
  readonly checksumAlgorithm?: ChecksumAlgorithm | null;
  /** Composite for SHA-1 and SHA-256, and for CRC32 and CRC32C, full for CRC64NVME, when not given. */
  readonly checksumType?: ChecksumType | null;
  readonly sse?: SseInfo | null;
}

export interface CompletedPart {
  readonly number: number;
  /** Without quotation marks. */
  readonly etag: string;
  /** Base64; compared when it is given. */
  readonly checksum?: string | undefined;
}

export interface S3Uploads {
  create(caller: S3Caller, bucket: Bucket, upload: NewUpload): Promise<Upload>;
  /** @throws S3Error `NoSuchUpload` also when it is of another key or bucket */
  find(bucket: Bucket, key: string, uploadId: string): Promise<Upload>;
  /** `content` is given up when it can't be kept. `checksum`: base64, in the upload's algorithm. @throws S3Error `NoSuchUpload`, `QuotaExceeded` */
  putPart(
    caller: S3Caller,
    bucket: Bucket,
    part: {
      readonly key: string;
      readonly uploadId: string;
      readonly number: number;
      readonly content: StagedBlob;
      readonly etag?: string;
      readonly checksum?: string | null;
      readonly nonce?: string;
    },
  ): Promise<UploadedPart>;
  /** A part that refers to the content of an object: its ETag is the caller's to compute, from the bytes. @throws S3Error `NoSuchUpload` */
  copyPart(
    caller: S3Caller,
    bucket: Bucket,
    part: {
      readonly key: string;
      readonly uploadId: string;
      readonly number: number;
      readonly source: ObjectVersion;
      readonly range?: ByteRange;
    },
  ): Promise<UploadedPart>;
  parts(
    bucket: Bucket,
    upload: Upload,
    page: { readonly after: number; readonly max: number },
  ): Promise<{ readonly parts: readonly UploadedPart[]; readonly next: number | null }>;
  /**
   * Makes the parts an object. Repeated after it was done, with the same parts, it gives the same answer again, for a day.
   * @throws S3Error `NoSuchUpload`, `InvalidPart`, `InvalidPartOrder`, `EntityTooSmall`, `BadDigest` (the checksum), `PreconditionFailed`
   */
  complete(
    caller: S3Caller,
    bucket: Bucket,
    completion: {
      readonly key: string;
      readonly uploadId: string;
      readonly parts: readonly CompletedPart[];
      /** Of the whole, when the client gives one: base64. */
      readonly checksum?: { readonly algorithm: ChecksumAlgorithm; readonly value: string } | null;
      /** Size of the whole, when the client gives it. */
      readonly size?: number;
      readonly conditions?: WriteConditions;
    },
  ): Promise<ObjectVersion>;
  /** @throws S3Error `NoSuchUpload` */
  abort(caller: S3Caller, bucket: Bucket, key: string, uploadId: string): Promise<void>;
}

/** Everything that the gateway's wire needs. Permissions are checked by `access` alone: the rest takes them for granted. */
export interface S3Domain {
  readonly keys: S3Keys;
  readonly access: S3Access;
  readonly buckets: S3Buckets;
  readonly objects: S3Objects;
  readonly listings: S3Listings;
  readonly uploads: S3Uploads;
}
