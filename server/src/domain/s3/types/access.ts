import type { Bucket } from "./buckets.ts";
import type { S3Principal } from "./principals.ts";

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
  /**
   * What only the body tells, which is not read before its sender may do this at all: the key, the tags. Asks whether it may be allowed for any
   * of them; the one that is told then is asked about for itself.
   */
  readonly untold?: ReadonlySet<"key" | "tags">;
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
