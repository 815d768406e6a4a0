import type { Bucket } from "./buckets.ts";
import type { S3Principal } from "./principals.ts";

/** The properties of a request for policies. */
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
   * Parts that only the body has, which is not read before its sender may do this at all: the key, the tags. The check
   * asks whether it may be allowed for any of them; once they are known, they are checked separately.
   */
  readonly untold?: ReadonlySet<"key" | "tags">;
}

export interface S3Access {
  /**
   * The one permission check, to be made before anything about the resource is revealed. A policy's denial wins; then
   * the key's own permissions count; then a policy or an access control list, for others of the organization, or for
   * everybody.
   * @throws S3Error `AccessDenied`
   */
  require(principal: S3Principal, request: AccessRequest): Promise<void>;
  /** The same as a question. */
  allows(principal: S3Principal, request: AccessRequest): Promise<boolean>;
}
