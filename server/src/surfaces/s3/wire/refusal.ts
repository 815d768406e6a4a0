/** Errors of S3 as answers: their statuses and header fields ("Error responses" of the S3 API reference). */
import { S3Error, type S3ErrorCode, type S3ErrorOptions } from "#domain/s3/index.ts";

/** All other codes have the status 400. */
const STATUSES: Readonly<Partial<Record<S3ErrorCode, number>>> = {
  AccessDenied: 403,
  BucketAlreadyExists: 409,
  BucketAlreadyOwnedByYou: 409,
  BucketNotEmpty: 409,
  ConditionalRequestConflict: 409,
  CORSForbidden: 403,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidBucketState: 409,
  InvalidObjectState: 403,
  InvalidPartNumber: 416,
  InvalidRange: 416,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchBucketPolicy: 404,
  NoSuchConfiguration: 404,
  NoSuchCORSConfiguration: 404,
  NoSuchKey: 404,
  NoSuchLifecycleConfiguration: 404,
  NoSuchObjectLockConfiguration: 404,
  NoSuchPublicAccessBlockConfiguration: 404,
  NoSuchTagSet: 404,
  NoSuchTagSetError: 404,
  NoSuchUpload: 404,
  NoSuchVersion: 404,
  NoSuchWebsiteConfiguration: 404,
  NotImplemented: 501,
  NotModified: 304,
  ObjectLockConfigurationNotFoundError: 404,
  OperationAborted: 409,
  OwnershipControlsNotFoundError: 404,
  PermanentRedirect: 301,
  PreconditionFailed: 412,
  QuotaExceeded: 403,
  ReplicationConfigurationNotFoundError: 404,
  RequestExpired: 403,
  RequestTimeTooSkewed: 403,
  ServerSideEncryptionConfigurationNotFoundError: 404,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
};

export function statusOfS3({ code }: Pick<S3Error, "code">): number {
  return STATUSES[code] ?? 400;
}

/** An S3 error whose answer needs more header fields. */
export class S3Refusal extends S3Error {
  readonly headers: Readonly<Record<string, string>>;

  /** The names of `headers` are in lower case. */
  constructor(
    code: S3ErrorCode,
    message: string | undefined,
    headers: Readonly<Record<string, string>>,
    options: S3ErrorOptions = {},
  ) {
    super(code, message, options);
    this.headers = headers;
  }
}

export function fieldsOfS3(error: S3Error): Record<string, string> {
  return { ...markerFields(error.options.marker), ...(error instanceof S3Refusal ? error.headers : {}) };
}

function markerFields(marker: S3ErrorOptions["marker"]): Record<string, string> {
  if (marker === undefined) return {};
  if (marker === null) return { "x-amz-delete-marker": "false" };
  const fields = { "x-amz-delete-marker": "true", "x-amz-version-id": marker.versionId };
  if (marker.modifiedAtMs === undefined) return fields;
  return { ...fields, allow: "DELETE", "last-modified": new Date(marker.modifiedAtMs).toUTCString() };
}
