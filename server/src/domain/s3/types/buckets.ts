import type { ProjectState, Visibility } from "#domain/projects/index.ts";
import type { S3Caller, S3Owner, S3Principal } from "./principals.ts";

export type VersioningState = "unversioned" | "enabled" | "suspended";

/** A bucket, as a principal sees it. */
export interface Bucket {
  /** The app's id. */
  readonly id: string;
  readonly orgId: string;
  readonly projectId: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly owner: S3Owner;
  readonly visibility: Visibility;
  readonly projectState: ProjectState;
  readonly versioning: VersioningState;
  readonly config: BucketConfig;
}

/** The settings of a bucket; an absent member was not set. */
export interface BucketConfig {
  readonly acl?: Acl;
  readonly cors?: readonly CorsRule[];
  /** The JSON text that was sent. */
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
  /**
   * Finds a bucket. It does not check what the principal may do; `access` does.
   * @throws S3Error `NoSuchBucket`, also when the principal may not know of the bucket
   */
  find(principal: S3Principal, name: string): Promise<Bucket>;
  /** Lists buckets by name, after the name `after`. `next` says whether there are more than `max`. */
  list(
    principal: S3Principal,
    page: { readonly prefix: string; readonly after: string; readonly max: number },
  ): Promise<{ readonly buckets: readonly ListedBucket[]; readonly next: string | null }>;
  /**
   * Creates an app. `project` is the slug or id of its project, for a key of the organization. The default is its
   * oldest project that the key reaches.
   * @throws S3Error `InvalidBucketName`, `BucketAlreadyExists`, `BucketAlreadyOwnedByYou`, `AccessDenied`,
   * `InvalidArgument` (the project)
   */
  create(caller: S3Caller, options: NewBucket): Promise<Bucket>;
  /** Deletes the app. @throws S3Error `BucketNotEmpty`, `AccessDenied` */
  delete(caller: S3Caller, bucket: Bucket): Promise<void>;
  /** Sets a part of the configuration; null deletes it. @throws S3Error that names the fault of the value */
  configure<K extends BucketConfigKind>(
    caller: S3Caller,
    bucket: Bucket,
    change: { readonly kind: K; readonly value: NonNullable<BucketConfig[K]> | null },
  ): Promise<Bucket>;
  /** @throws S3Error `InvalidBucketState` when object lock forbids it */
  setVersioning(caller: S3Caller, bucket: Bucket, state: "enabled" | "suspended"): Promise<Bucket>;
  /** Returns the slugs of the canonical users that belong to the bucket's organization. */
  displayNames(bucket: Bucket, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Whether a policy or an access control list lets everybody read. */
  isPublic(bucket: Bucket): boolean;
  /**
   * @throws S3Error `InvalidRequest` when the list opens an object to everybody, but no unsigned request reaches the
   * bucket
   */
  requireReached(bucket: Bucket, acl: Acl): Promise<void>;
}

export interface NewBucket {
  readonly name: string;
  readonly project?: string;
  readonly acl?: Acl;
  readonly ownership?: ObjectOwnership;
  readonly objectLock?: boolean;
}
