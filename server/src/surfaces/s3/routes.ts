import { postObject } from "./operations/post-object.ts";
import {
  abortMultipartUpload,
  completeMultipartUpload,
  createMultipartUpload,
  listMultipartUploads,
  listParts,
  uploadPart,
  uploadPartCopy,
} from "./operations/multipart.ts";
import {
  deleteBucketOwnershipControls,
  deleteBucketPolicy,
  deletePublicAccessBlock,
  getBucketAcl,
  getBucketOwnershipControls,
  getBucketPolicy,
  getBucketPolicyStatus,
  getPublicAccessBlock,
  putBucketAcl,
  putBucketOwnershipControls,
  putBucketPolicy,
  putPublicAccessBlock,
} from "./operations/bucket-access.ts";
import { deleteBucketCors, getBucketCors, putBucketCors } from "./operations/bucket-cors.ts";
import {
  deleteBucketEncryption,
  deleteBucketTagging,
  getBucketAccelerate,
  getBucketEncryption,
  getBucketLogging,
  getBucketReplication,
  getBucketRequestPayment,
  getBucketTagging,
  getBucketVersioning,
  getBucketWebsite,
  getObjectLockConfiguration,
  putBucketEncryption,
  putBucketTagging,
  putBucketVersioning,
  putObjectLockConfiguration,
} from "./operations/bucket-subresources.ts";
import { deleteBucketLifecycle, getBucketLifecycle, putBucketLifecycle } from "./operations/bucket-lifecycle.ts";
import { getBucketNotification, putBucketNotification } from "./operations/bucket-notification.ts";
import { copyObject } from "./operations/copy-object.ts";
import { createBucket, deleteBucket, getBucketLocation, headBucket, listBuckets } from "./operations/buckets.ts";
import { deleteObject, deleteObjects } from "./operations/delete-objects.ts";
import { getObject, getObjectAttributes, headObject } from "./operations/get-object.ts";
import { listObjects, listObjectsV2, listObjectVersions } from "./operations/list-objects.ts";
import {
  deleteObjectTagging,
  getObjectAcl,
  getObjectLegalHold,
  getObjectRetention,
  getObjectTagging,
  putObjectAcl,
  putObjectLegalHold,
  putObjectRetention,
  putObjectTagging,
} from "./operations/object-subresources.ts";
import { putObject } from "./operations/put-object.ts";
import type { Operation } from "./context.ts";
import type { Level, Row } from "./route.ts";

type More = Partial<Pick<Row, "copies" | "versionAction" | "makesBucket" | "unread" | "orAction">>;

const KEYS = new Set(["key"] as const);
const TAGS = new Set(["tags"] as const);

/** A row for requests such as `GET bucket ?acl`. */
function row(name: string, request: string, action: string | null, run: Operation, more: More = {}): Row {
  const [method, level, query = ""] = request.split(" ");
  const selectors = query
    .replace("?", "")
    .split("&")
    .filter((part) => part !== "");
  return { name, method: method as Row["method"], level: level as Level, selectors, action, run, ...more };
}

/** A form has no row: the type of its body identifies it, and its fields identify the sender. */
export const POST_OBJECT = { name: "PostObject", action: "s3:PutObject", run: postObject } as const;

/** Every operation. Others are not supported. */
export const ROWS: readonly Row[] = [
  row("ListBuckets", "GET service", "s3:ListAllMyBuckets", listBuckets),

  row("CreateBucket", "PUT bucket", "s3:CreateBucket", createBucket, { makesBucket: true }),
  row("DeleteBucket", "DELETE bucket", "s3:DeleteBucket", deleteBucket),
  row("HeadBucket", "HEAD bucket", "s3:HeadBucket", headBucket),
  row("GetBucketLocation", "GET bucket ?location", "s3:GetBucketLocation", getBucketLocation),
  row("ListObjects", "GET bucket", "s3:ListBucket", listObjects),
  row("ListObjectsV2", "GET bucket ?list-type", "s3:ListBucket", listObjectsV2),
  row("ListObjectVersions", "GET bucket ?versions", "s3:ListBucketVersions", listObjectVersions),
  row("ListMultipartUploads", "GET bucket ?uploads", "s3:ListBucketMultipartUploads", listMultipartUploads),
  row("DeleteObjects", "POST bucket ?delete", "s3:DeleteObject", deleteObjects, {
    unread: KEYS,
    orAction: "s3:DeleteObjectVersion",
  }),

  row("GetBucketVersioning", "GET bucket ?versioning", "s3:GetBucketVersioning", getBucketVersioning),
  row("PutBucketVersioning", "PUT bucket ?versioning", "s3:PutBucketVersioning", putBucketVersioning),
  row("GetBucketCors", "GET bucket ?cors", "s3:GetBucketCORS", getBucketCors),
  row("PutBucketCors", "PUT bucket ?cors", "s3:PutBucketCORS", putBucketCors),
  row("DeleteBucketCors", "DELETE bucket ?cors", "s3:PutBucketCORS", deleteBucketCors),
  row("GetBucketPolicy", "GET bucket ?policy", "s3:GetBucketPolicy", getBucketPolicy),
  row("PutBucketPolicy", "PUT bucket ?policy", "s3:PutBucketPolicy", putBucketPolicy),
  row("DeleteBucketPolicy", "DELETE bucket ?policy", "s3:DeleteBucketPolicy", deleteBucketPolicy),
  row("GetBucketPolicyStatus", "GET bucket ?policyStatus", "s3:GetBucketPolicyStatus", getBucketPolicyStatus),
  row("GetBucketAcl", "GET bucket ?acl", "s3:GetBucketAcl", getBucketAcl),
  row("PutBucketAcl", "PUT bucket ?acl", "s3:PutBucketAcl", putBucketAcl),
  row("GetBucketTagging", "GET bucket ?tagging", "s3:GetBucketTagging", getBucketTagging),
  row("PutBucketTagging", "PUT bucket ?tagging", "s3:PutBucketTagging", putBucketTagging),
  row("DeleteBucketTagging", "DELETE bucket ?tagging", "s3:PutBucketTagging", deleteBucketTagging),
  row("GetBucketLifecycle", "GET bucket ?lifecycle", "s3:GetLifecycleConfiguration", getBucketLifecycle),
  row("PutBucketLifecycle", "PUT bucket ?lifecycle", "s3:PutLifecycleConfiguration", putBucketLifecycle),
  row("DeleteBucketLifecycle", "DELETE bucket ?lifecycle", "s3:PutLifecycleConfiguration", deleteBucketLifecycle),
  row("GetBucketNotification", "GET bucket ?notification", "s3:GetBucketNotification", getBucketNotification),
  row("PutBucketNotification", "PUT bucket ?notification", "s3:PutBucketNotification", putBucketNotification),
  row("GetBucketEncryption", "GET bucket ?encryption", "s3:GetEncryptionConfiguration", getBucketEncryption),
  row("PutBucketEncryption", "PUT bucket ?encryption", "s3:PutEncryptionConfiguration", putBucketEncryption),
  row("DeleteBucketEncryption", "DELETE bucket ?encryption", "s3:PutEncryptionConfiguration", deleteBucketEncryption),
  row(
    "GetBucketOwnershipControls",
    "GET bucket ?ownershipControls",
    "s3:GetBucketOwnershipControls",
    getBucketOwnershipControls,
  ),
  row(
    "PutBucketOwnershipControls",
    "PUT bucket ?ownershipControls",
    "s3:PutBucketOwnershipControls",
    putBucketOwnershipControls,
  ),
  row(
    "DeleteBucketOwnershipControls",
    "DELETE bucket ?ownershipControls",
    "s3:PutBucketOwnershipControls",
    deleteBucketOwnershipControls,
  ),
  row("GetPublicAccessBlock", "GET bucket ?publicAccessBlock", "s3:GetBucketPublicAccessBlock", getPublicAccessBlock),
  row("PutPublicAccessBlock", "PUT bucket ?publicAccessBlock", "s3:PutBucketPublicAccessBlock", putPublicAccessBlock),
  row(
    "DeletePublicAccessBlock",
    "DELETE bucket ?publicAccessBlock",
    "s3:PutBucketPublicAccessBlock",
    deletePublicAccessBlock,
  ),
  row(
    "GetObjectLockConfiguration",
    "GET bucket ?object-lock",
    "s3:GetBucketObjectLockConfiguration",
    getObjectLockConfiguration,
  ),
  row(
    "PutObjectLockConfiguration",
    "PUT bucket ?object-lock",
    "s3:PutBucketObjectLockConfiguration",
    putObjectLockConfiguration,
  ),
  row(
    "GetBucketAccelerateConfiguration",
    "GET bucket ?accelerate",
    "s3:GetAccelerateConfiguration",
    getBucketAccelerate,
  ),
  row("GetBucketRequestPayment", "GET bucket ?requestPayment", "s3:GetBucketRequestPayment", getBucketRequestPayment),
  row("GetBucketLogging", "GET bucket ?logging", "s3:GetBucketLogging", getBucketLogging),
  row("GetBucketWebsite", "GET bucket ?website", "s3:GetBucketWebsite", getBucketWebsite),
  row("GetBucketReplication", "GET bucket ?replication", "s3:GetReplicationConfiguration", getBucketReplication),

  row("PutObject", "PUT object", "s3:PutObject", putObject, { copies: false }),
  row("CopyObject", "PUT object", "s3:PutObject", copyObject, { copies: true }),
  row("GetObject", "GET object", null, getObject),
  row("HeadObject", "HEAD object", null, headObject),
  row("DeleteObject", "DELETE object", "s3:DeleteObject", deleteObject, { versionAction: "s3:DeleteObjectVersion" }),
  row("GetObjectAttributes", "GET object ?attributes", "s3:GetObjectAttributes", getObjectAttributes, {
    versionAction: "s3:GetObjectVersionAttributes",
  }),
  row("GetObjectAcl", "GET object ?acl", "s3:GetObjectAcl", getObjectAcl, { versionAction: "s3:GetObjectVersionAcl" }),
  row("PutObjectAcl", "PUT object ?acl", "s3:PutObjectAcl", putObjectAcl, { versionAction: "s3:PutObjectVersionAcl" }),
  row("GetObjectTagging", "GET object ?tagging", "s3:GetObjectTagging", getObjectTagging, {
    versionAction: "s3:GetObjectVersionTagging",
  }),
  row("PutObjectTagging", "PUT object ?tagging", "s3:PutObjectTagging", putObjectTagging, {
    versionAction: "s3:PutObjectVersionTagging",
    unread: TAGS,
  }),
  row("DeleteObjectTagging", "DELETE object ?tagging", "s3:DeleteObjectTagging", deleteObjectTagging, {
    versionAction: "s3:DeleteObjectVersionTagging",
  }),
  row("GetObjectRetention", "GET object ?retention", "s3:GetObjectRetention", getObjectRetention),
  row("PutObjectRetention", "PUT object ?retention", "s3:PutObjectRetention", putObjectRetention),
  row("GetObjectLegalHold", "GET object ?legal-hold", "s3:GetObjectLegalHold", getObjectLegalHold),
  row("PutObjectLegalHold", "PUT object ?legal-hold", "s3:PutObjectLegalHold", putObjectLegalHold),

  row("CreateMultipartUpload", "POST object ?uploads", "s3:PutObject", createMultipartUpload),
  row("UploadPart", "PUT object ?uploadId&partNumber", "s3:PutObject", uploadPart, { copies: false }),
  row("UploadPartCopy", "PUT object ?uploadId&partNumber", "s3:PutObject", uploadPartCopy, { copies: true }),
  row("CompleteMultipartUpload", "POST object ?uploadId", "s3:PutObject", completeMultipartUpload),
  row("AbortMultipartUpload", "DELETE object ?uploadId", "s3:AbortMultipartUpload", abortMultipartUpload),
  row("ListParts", "GET object ?uploadId", "s3:ListMultipartUploadParts", listParts),
];
