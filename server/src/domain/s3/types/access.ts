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
  /** The action by S3's name, such as `s3:GetObject`. */
  readonly action: string;
  /** Null: the action is not about a bucket (`s3:ListAllMyBuckets`, `s3:CreateBucket`). */
  readonly bucket: Bucket | null;
  readonly key?: string;
  readonly versionId?: string;
  /**
   * Values that only the body has: the key, the tags. The first check, before the body is read, asks whether any value
   * would be allowed. After the body was read, a second check decides about its values.
   */
  readonly unread?: ReadonlySet<"key" | "tags">;
}

export interface S3Access {
  /**
   * The only permission check. Call it before revealing anything about the resource. A denial by a policy wins. Then
   * the key's own permissions count. A policy or an access control list can allow others of the organization, or
   * everybody.
   * @throws S3Error `AccessDenied`
   */
  require(principal: S3Principal, request: AccessRequest): Promise<void>;
  /** Returns the result of `require` instead of throwing. */
  allows(principal: S3Principal, request: AccessRequest): Promise<boolean>;
}
