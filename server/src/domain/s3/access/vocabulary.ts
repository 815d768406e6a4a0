import { ACTIONS } from "./actions.ts";

/** The kind of resource that a statement must name for the action. */
export type ActionLevel = "bucket" | "object";

/**
 * Real actions of S3 that the gateway never checks, because it has no such operation. Allowing or denying one has no
 * effect. Actions of an account (access points, batch jobs, …) are not about a bucket, so no bucket policy names them.
 */
const UNUSED_BUCKET_ACTIONS = [
  "DeleteBucketWebsite PutBucketWebsite PutBucketLogging PutBucketRequestPayment PutAccelerateConfiguration PutReplicationConfiguration",
  "GetAnalyticsConfiguration PutAnalyticsConfiguration GetInventoryConfiguration PutInventoryConfiguration GetMetricsConfiguration",
  "PutMetricsConfiguration GetIntelligentTieringConfiguration PutIntelligentTieringConfiguration GetBucketMetadataTableConfiguration",
  "CreateBucketMetadataTableConfiguration DeleteBucketMetadataTableConfiguration UpdateBucketMetadataInventoryTableConfiguration",
  "UpdateBucketMetadataJournalTableConfiguration GetBucketAbac PutBucketAbac CreateSession",
];
const UNUSED_OBJECT_ACTIONS = [
  "GetObjectTorrent GetObjectVersionTorrent GetObjectVersionForReplication InitiateReplication ReplicateDelete ReplicateObject ReplicateTags",
  "ObjectOwnerOverrideToBucketOwner RestoreObject UpdateObjectEncryption",
];

function named(lists: readonly string[], level: ActionLevel): [string, ActionLevel][] {
  return lists.flatMap((list) => list.split(" ")).map((name) => [`s3:${name}`, level]);
}

/**
 * Every action that a bucket policy may name, with its kind of resource. Names that only the gateway uses are left out.
 */
export const POLICY_ACTIONS: ReadonlyMap<string, ActionLevel> = new Map([
  ...Object.entries(ACTIONS)
    .filter(([name, { policyAction }]) => policyAction === undefined && name !== "s3:ListAllMyBuckets")
    .map(([name]): [string, ActionLevel] => [name, levelOf(name)]),
  ...named(UNUSED_BUCKET_ACTIONS, "bucket"),
  ...named(UNUSED_OBJECT_ACTIONS, "object"),
]);

function levelOf(name: string): ActionLevel {
  const isObjects = /Object(?!Lock)/.test(name) || /^s3:(Abort|BypassGovernance|ListMultipartUploadParts)/.test(name);
  return isObjects ? "object" : "bucket";
}

/** The type of a condition key's values. It decides which operators are allowed. */
export type KeyType = "text" | "number" | "date" | "boolean" | "address";

/** A condition key, and the requests that have a value for it. */
export interface ConditionKey {
  readonly type: KeyType;
  /** The actions whose requests can have this key; absent: all actions. */
  readonly of?: RegExp;
}

const LISTS = /^s3:ListBucket/;
const WRITES = /^s3:PutObject$/;
const GRANTS = /^s3:(PutObject|PutObjectAcl|PutObjectVersionAcl|PutBucketAcl|CreateBucket)$/;
const OBJECTS = /Object/;
const text = (of?: RegExp): ConditionKey => ({ type: "text", ...(of === undefined ? {} : { of }) });

/** All condition keys, in lower case. A Deny with any other key would never apply. */
const CONDITION_KEYS: Readonly<Record<string, ConditionKey>> = {
  "aws:sourceip": { type: "address" },
  "aws:securetransport": { type: "boolean" },
  "aws:currenttime": { type: "date" },
  "aws:epochtime": { type: "date" },
  "aws:userid": text(),
  "aws:username": text(),
  "aws:principalaccount": text(),
  "aws:principaltype": text(),
  "aws:referer": text(),
  "aws:useragent": text(),
  "s3:authtype": text(),
  "s3:signatureversion": text(),
  "s3:x-amz-content-sha256": text(),
  "s3:prefix": text(LISTS),
  "s3:delimiter": text(LISTS),
  "s3:max-keys": { type: "number", of: LISTS },
  "s3:versionid": text(/Version|DeleteObject|GetObject|PutObject/),
  "s3:x-amz-acl": text(GRANTS),
  "s3:x-amz-grant-read": text(GRANTS),
  "s3:x-amz-grant-write": text(GRANTS),
  "s3:x-amz-grant-read-acp": text(GRANTS),
  "s3:x-amz-grant-write-acp": text(GRANTS),
  "s3:x-amz-grant-full-control": text(GRANTS),
  "s3:x-amz-copy-source": text(WRITES),
  "s3:x-amz-metadata-directive": text(WRITES),
  "s3:x-amz-server-side-encryption": text(WRITES),
  "s3:x-amz-server-side-encryption-customer-algorithm": text(/^s3:(PutObject|GetObject|GetObjectVersion)$/),
  "s3:x-amz-server-side-encryption-aws-kms-key-id": text(WRITES),
  "s3:x-amz-storage-class": text(WRITES),
};

/** Keys that end with a tag's name. */
const TAG_KEYS: readonly [string, ConditionKey][] = [
  ["s3:existingobjecttag/", text(OBJECTS)],
  ["s3:requestobjecttag/", text(/^s3:PutObject(Tagging|VersionTagging)?$/)],
];

/** Finds a condition key; undefined for a key that no request has. */
export function conditionKey(name: string): ConditionKey | undefined {
  const lower = name.toLowerCase();
  if (Object.hasOwn(CONDITION_KEYS, lower)) return CONDITION_KEYS[lower];
  return TAG_KEYS.find(([start]) => lower.startsWith(start) && lower.length > start.length)?.[1];
}
