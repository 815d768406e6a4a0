import type { Scope } from "@mooring/contract";
import type { AclPermission } from "../types/index.ts";

export interface ActionRule {
  /** The scope that a key needs, even if a policy opens the resource. */
  readonly scope: Scope;
  /** The permission that an access control list of the bucket or the object must give. Absent: no list can open it. */
  readonly acl?: { readonly of: "bucket" | "object"; readonly permission: AclPermission };
  /** Allowed for keys that are limited to a prefix, because it reveals nothing about objects. */
  readonly isHarmless?: true;
  /** The action's name in policies, if it differs. */
  readonly policyAction?: string;
  /**
   * The only principals who may get it. `owner`: the bucket's own keys; no policy or list can add others. `signed`: also
   * keys that a policy allows, or whose canonical user a list names; no request without a signature, and no group of a
   * list. Absent: everybody.
   */
  readonly onlyFor?: "owner" | "signed";
}

const LIST = { scope: "s3:read", acl: { of: "bucket", permission: "READ" } } as const;
const READ = { scope: "s3:read", acl: { of: "object", permission: "READ" } } as const;
const READ_ACP = { scope: "s3:read", acl: { of: "object", permission: "READ_ACP" } } as const;
const WRITE_ACP = { scope: "s3:write", acl: { of: "object", permission: "WRITE_ACP" } } as const;
const WRITE = { scope: "s3:write", acl: { of: "bucket", permission: "WRITE" } } as const;
const DELETE = { scope: "s3:delete", acl: { of: "bucket", permission: "WRITE" } } as const;
const SEE = { scope: "s3:read" } as const;
const SEE_HARMLESS = { scope: "s3:read", isHarmless: true } as const;
const CHANGE = { scope: "s3:write" } as const;
const KEEP = { scope: "s3:write", onlyFor: "signed" } as const;
/** Administration: the bucket itself, its permissions and its rules. */
const CONFIGURE = { scope: "apps:write", onlyFor: "owner" } as const;

/** Every action that the gateway checks. */
export const ACTIONS: Readonly<Record<string, ActionRule>> = {
  "s3:ListAllMyBuckets": SEE_HARMLESS,
  "s3:CreateBucket": CONFIGURE,
  "s3:DeleteBucket": CONFIGURE,
  /** HEAD of a bucket. Policies treat it as listing without a prefix. */
  "s3:HeadBucket": { ...LIST, isHarmless: true, policyAction: "s3:ListBucket" },
  "s3:GetBucketLocation": { ...LIST, isHarmless: true },
  "s3:ListBucket": LIST,
  "s3:ListBucketVersions": LIST,
  "s3:ListBucketMultipartUploads": LIST,
  "s3:GetBucketVersioning": SEE_HARMLESS,
  "s3:GetBucketObjectLockConfiguration": SEE_HARMLESS,
  "s3:GetEncryptionConfiguration": SEE_HARMLESS,
  "s3:GetBucketOwnershipControls": SEE_HARMLESS,
  "s3:GetBucketAcl": { scope: "s3:read", acl: { of: "bucket", permission: "READ_ACP" } },
  "s3:GetBucketCORS": SEE,
  "s3:GetBucketPolicy": { ...SEE, onlyFor: "owner" },
  "s3:GetBucketPolicyStatus": SEE,
  "s3:GetBucketPublicAccessBlock": SEE,
  "s3:GetBucketTagging": SEE,
  "s3:GetBucketNotification": SEE,
  "s3:GetLifecycleConfiguration": SEE,
  "s3:GetBucketLogging": SEE,
  "s3:GetBucketRequestPayment": SEE,
  "s3:GetBucketWebsite": SEE,
  "s3:GetAccelerateConfiguration": SEE,
  "s3:GetReplicationConfiguration": SEE,
  "s3:PutBucketAcl": { ...CONFIGURE, onlyFor: "signed", acl: { of: "bucket", permission: "WRITE_ACP" } },
  "s3:PutBucketCORS": CONFIGURE,
  "s3:PutBucketPolicy": CONFIGURE,
  "s3:DeleteBucketPolicy": CONFIGURE,
  "s3:PutBucketPublicAccessBlock": CONFIGURE,
  "s3:PutBucketTagging": CONFIGURE,
  "s3:PutBucketNotification": CONFIGURE,
  "s3:PutLifecycleConfiguration": CONFIGURE,
  "s3:PutBucketVersioning": CONFIGURE,
  "s3:PutBucketObjectLockConfiguration": CONFIGURE,
  "s3:PutEncryptionConfiguration": CONFIGURE,
  "s3:PutBucketOwnershipControls": CONFIGURE,
  "s3:GetObject": READ,
  "s3:GetObjectVersion": READ,
  "s3:GetObjectAttributes": READ,
  "s3:GetObjectVersionAttributes": READ,
  "s3:GetObjectTagging": SEE,
  "s3:GetObjectVersionTagging": SEE,
  "s3:GetObjectAcl": READ_ACP,
  "s3:GetObjectVersionAcl": READ_ACP,
  "s3:GetObjectRetention": SEE,
  "s3:GetObjectLegalHold": SEE,
  "s3:PutObject": WRITE,
  "s3:PutObjectTagging": CHANGE,
  "s3:PutObjectVersionTagging": CHANGE,
  "s3:DeleteObjectTagging": CHANGE,
  "s3:DeleteObjectVersionTagging": CHANGE,
  "s3:PutObjectAcl": WRITE_ACP,
  "s3:PutObjectVersionAcl": WRITE_ACP,
  "s3:PutObjectRetention": KEEP,
  "s3:PutObjectLegalHold": KEEP,
  "s3:BypassGovernanceRetention": CONFIGURE,
  "s3:DeleteObject": DELETE,
  "s3:DeleteObjectVersion": DELETE,
  "s3:AbortMultipartUpload": WRITE,
  "s3:ListMultipartUploadParts": WRITE,
};
