/** A succeeding request for every operation, so that only the test's change can cause a failure. */
import type { TestGateway } from "./gateway.ts";
import { begin, completion, part } from "./uploads.ts";

export const BUCKET = "cases-bucket";
/** A bucket with versions and locks. */
export const LOCKED = "cases-locked";
const OBJECT = `/${BUCKET}/dir/object`;

export interface Case {
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Set if a key for reading may send the request. */
  readonly reads?: true;
  /** Set if a key for a prefix of objects may send the request, because it shows nothing of objects. */
  readonly harmless?: true;
}

const tags = "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>";

const bucket = (query: string, more: Partial<Case> = {}): Case => ({ target: `/${BUCKET}${query}`, ...more });
const reads = (query: string, more: Partial<Case> = {}): Case => bucket(query, { reads: true, ...more });
const readsObject = (query: string, more: Partial<Case> = {}): Case => ({
  target: `${OBJECT}${query}`,
  reads: true,
  ...more,
});
const object = (query: string, more: Partial<Case> = {}): Case => ({ target: `${OBJECT}${query}`, ...more });

/** Returns the cases by the operation's name. `uploadId` and `etag` are those of an upload with one part. */
export function casesFor({ uploadId, etag }: { uploadId: string; etag: string }): Readonly<Record<string, Case>> {
  return { ...bucketCases(), ...objectCases(uploadId, etag) };
}

function bucketCases(): Record<string, Case> {
  return {
    ListBuckets: { target: "/", reads: true, harmless: true },
    CreateBucket: { target: "/cases-new" },
    DeleteBucket: { target: "/cases-empty" },
    HeadBucket: reads("", { harmless: true }),
    GetBucketLocation: reads("?location", { harmless: true }),
    ListObjects: reads(""),
    ListObjectsV2: reads("?list-type=2"),
    ListObjectVersions: reads("?versions"),
    ListMultipartUploads: reads("?uploads"),
    DeleteObjects: bucket("?delete", { body: "<Delete><Object><Key>dir/object</Key></Object></Delete>" }),
    GetBucketVersioning: reads("?versioning", { harmless: true }),
    PutBucketVersioning: bucket("?versioning", {
      body: "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>",
    }),
    GetBucketCors: reads("?cors"),
    PutBucketCors: bucket("?cors", {
      body: "<CORSConfiguration><CORSRule><AllowedMethod>PUT</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>",
    }),
    DeleteBucketCors: bucket("?cors"),
    GetBucketPolicy: reads("?policy"),
    PutBucketPolicy: bucket("?policy", { body: policy("s3:*") }),
    DeleteBucketPolicy: bucket("?policy"),
    GetBucketPolicyStatus: reads("?policyStatus"),
    GetBucketAcl: reads("?acl"),
    PutBucketAcl: bucket("?acl", { headers: { "x-amz-acl": "public-read-write" } }),
    GetBucketTagging: reads("?tagging"),
    PutBucketTagging: bucket("?tagging", { body: tags }),
    DeleteBucketTagging: bucket("?tagging"),
    GetBucketLifecycle: reads("?lifecycle"),
    PutBucketLifecycle: bucket("?lifecycle", { body: lifecycle(1) }),
    DeleteBucketLifecycle: bucket("?lifecycle"),
    GetBucketNotification: reads("?notification"),
    PutBucketNotification: bucket("?notification", { body: "<NotificationConfiguration/>" }),
    GetBucketEncryption: reads("?encryption", { harmless: true }),
    PutBucketEncryption: bucket("?encryption", { body: ENCRYPTION }),
    DeleteBucketEncryption: bucket("?encryption"),
    GetBucketOwnershipControls: reads("?ownershipControls", { harmless: true }),
    PutBucketOwnershipControls: bucket("?ownershipControls", { body: OWNERSHIP }),
    DeleteBucketOwnershipControls: bucket("?ownershipControls"),
    GetPublicAccessBlock: reads("?publicAccessBlock"),
    PutPublicAccessBlock: bucket("?publicAccessBlock", { body: "<PublicAccessBlockConfiguration/>" }),
    DeletePublicAccessBlock: bucket("?publicAccessBlock"),
    GetObjectLockConfiguration: { target: `/${LOCKED}?object-lock`, reads: true, harmless: true },
    PutObjectLockConfiguration: { target: `/${LOCKED}?object-lock`, body: LOCK },
    GetBucketAccelerateConfiguration: reads("?accelerate"),
    GetBucketRequestPayment: reads("?requestPayment"),
    GetBucketLogging: reads("?logging"),
    GetBucketWebsite: reads("?website"),
    GetBucketReplication: reads("?replication"),
  };
}

function objectCases(uploadId: string, etag: string): Record<string, Case> {
  const upload = `?uploadId=${uploadId}`;
  return {
    PutObject: object("", { body: "changed" }),
    CopyObject: object("", { headers: { "x-amz-copy-source": `${BUCKET}/dir/other` } }),
    GetObject: readsObject(""),
    HeadObject: readsObject(""),
    DeleteObject: object(""),
    GetObjectAttributes: readsObject("?attributes", { headers: { "x-amz-object-attributes": "ETag" } }),
    GetObjectAcl: readsObject("?acl"),
    PutObjectAcl: object("?acl", { headers: { "x-amz-acl": "public-read" } }),
    GetObjectTagging: readsObject("?tagging"),
    PutObjectTagging: object("?tagging", { body: tags }),
    DeleteObjectTagging: object("?tagging"),
    GetObjectRetention: { target: `/${LOCKED}/dir/object?retention`, reads: true },
    PutObjectRetention: { target: `/${LOCKED}/dir/object?retention`, body: RETENTION },
    GetObjectLegalHold: { target: `/${LOCKED}/dir/object?legal-hold`, reads: true },
    PutObjectLegalHold: {
      target: `/${LOCKED}/dir/object?legal-hold`,
      body: "<LegalHold><Status>ON</Status></LegalHold>",
    },
    CreateMultipartUpload: object("?uploads"),
    UploadPart: object(`${upload}&partNumber=2`, { body: "part" }),
    UploadPartCopy: object(`${upload}&partNumber=3`, { headers: { "x-amz-copy-source": `${BUCKET}/dir/other` } }),
    CompleteMultipartUpload: object(upload, { body: completion([[1, etag]]) }),
    AbortMultipartUpload: object(upload),
    ListParts: object(upload),
  };
}

function policy(action: string): string {
  const Resource = [`arn:aws:s3:::${BUCKET}`, `arn:aws:s3:::${BUCKET}/*`];
  return JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: "*", Action: action, Resource }],
  });
}

function lifecycle(days: number): string {
  return `<LifecycleConfiguration><Rule><ID>a</ID><Status>Enabled</Status><Prefix/><Expiration><Days>${days}</Days></Expiration></Rule></LifecycleConfiguration>`;
}

const ENCRYPTION =
  "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm>" +
  "</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>";
const OWNERSHIP = "<OwnershipControls><Rule><ObjectOwnership>ObjectWriter</ObjectOwnership></Rule></OwnershipControls>";
const LOCK =
  "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>GOVERNANCE</Mode><Days>9</Days>" +
  "</DefaultRetention></Rule></ObjectLockConfiguration>";
const RETENTION =
  "<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2090-01-01T00:00:00Z</RetainUntilDate></Retention>";

/** Creates the objects of the cases: buckets with every setting, objects, and an upload. */
export async function prepareCases(gateway: TestGateway): Promise<{ uploadId: string; etag: string }> {
  const call = async (
    method: string,
    target: string,
    more: { headers?: Record<string, string>; body?: string } = {},
  ) => {
    const answer = await gateway.call(method, target, more);
    if (answer.status >= 300) throw new Error(`cannot prepare ${method} ${target}: ${answer.text}`);
  };
  for (const name of [BUCKET, "cases-empty"]) await call("PUT", `/${name}`);
  await call("PUT", `/${LOCKED}`, { headers: { "x-amz-bucket-object-lock-enabled": "true" } });
  for (const key of ["dir/object", "dir/other", "elsewhere/object"])
    await call("PUT", `/${BUCKET}/${key}`, { body: key });
  await call("PUT", `/${LOCKED}/dir/object`, { body: "locked" });
  const cors =
    "<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>https://a.test</AllowedOrigin></CORSRule></CORSConfiguration>";
  await call("PUT", `/${BUCKET}?cors`, { body: cors });
  await call("PUT", `/${BUCKET}?lifecycle`, { body: lifecycle(100) });
  await call("PUT", `/${BUCKET}?tagging`, { body: tags.replace("<Value>b", "<Value>before") });
  await call("PUT", `${OBJECT}?tagging`, { body: tags.replace("<Value>b", "<Value>before") });
  const uploadId = await begin(gateway, OBJECT);
  return { uploadId, etag: await part(gateway, OBJECT, { uploadId, number: 1, body: "part" }) };
}

const SEEN = [
  "/",
  ...[
    "?versions",
    "?uploads",
    "?versioning",
    "?cors",
    "?policy",
    "?acl",
    "?tagging",
    "?lifecycle",
    "?notification",
    "?encryption",
    "?ownershipControls",
    "?publicAccessBlock",
  ].map((query) => `/${BUCKET}${query}`),
  ...["", "?acl", "?tagging"].map((query) => `${OBJECT}${query}`),
  ...["?versions", "?object-lock"].map((query) => `/${LOCKED}${query}`),
  ...["?retention", "?legal-hold"].map((query) => `/${LOCKED}/dir/object${query}`),
];

/** Returns everything that an operation could have changed, as its owner sees it. */
export async function everything(gateway: TestGateway, uploadId: string): Promise<string[]> {
  const seen: string[] = [];
  for (const target of [...SEEN, `${OBJECT}?uploadId=${uploadId}`]) {
    const { status, text } = await gateway.call("GET", target);
    seen.push(`${target} ${status} ${text.replace(/<(RequestId|HostId)>[^<]*<\/\1>/g, "")}`);
  }
  return seen;
}
