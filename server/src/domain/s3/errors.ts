/**
 * Errors of buckets and objects, by S3's names. Errors that only the gateway finds (signatures, XML, framing) are
 * included, so that there is one table. This file does not know HTTP.
 */
import type { RefusalFacts } from "#kernel/refusal.ts";

/** Every error code of S3 with its default message. `surfaces/s3/errors.ts` has the statuses. */
export const S3_ERRORS = {
  AccessControlListNotSupported: "The bucket does not allow access control lists.",
  AccessDenied: "Access denied.",
  AuthorizationHeaderMalformed: "The Authorization header is malformed.",
  AuthorizationQueryParametersError: "The query parameters of the signature are not valid.",
  BadDigest: "The digest does not match the content.",
  BadRequest: "The request is not valid.",
  BucketAlreadyExists: "The bucket name is taken; choose another.",
  BucketAlreadyOwnedByYou: "You have this bucket already.",
  BucketNotEmpty: "The bucket is not empty; delete its objects and their versions first.",
  ConditionalRequestConflict: "Another request changed the object meanwhile; try again.",
  CORSForbidden: "The bucket's CORS configuration does not allow this.",
  EntityTooLarge: "The content is larger than allowed.",
  EntityTooSmall: "The content is smaller than allowed.",
  ExpiredToken: "The request has expired.",
  IllegalLocationConstraintException: "The location is not the region of this endpoint.",
  IllegalVersioningConfigurationException: "The versioning configuration is not valid.",
  IncompleteBody: "The content is shorter than its Content-Length.",
  IncorrectNumberOfFilesInPostRequest: "A form must have exactly one file.",
  InternalError: "An unexpected error. Try again.",
  InvalidAccessKeyId: "There is no such access key.",
  InvalidArgument: "An argument is not valid.",
  InvalidBucketAclWithObjectOwnership:
    "The bucket's access control list has grants to others; remove these grants first.",
  InvalidBucketName: "The bucket name is not valid.",
  InvalidBucketState: "The current state of the bucket does not allow this.",
  InvalidDigest: "The Content-MD5 is not valid.",
  InvalidEncryptionAlgorithmError: "The encryption algorithm is not supported.",
  InvalidLocationConstraint: "The location is not valid.",
  InvalidObjectState: "The object's state does not allow this.",
  InvalidPart: "A part was not found, or its ETag differs from the given one.",
  InvalidPartNumber: "There is no such part.",
  InvalidPartOrder: "The parts are not in ascending order.",
  InvalidPolicyDocument: "The form's policy is not valid.",
  InvalidRange: "The range lies outside of the object.",
  InvalidRequest: "The request is not valid.",
  InvalidRetentionPeriod: "The retention period is not valid.",
  InvalidTag: "A tag is not valid.",
  InvalidTargetBucketForLogging: "The target bucket is not valid.",
  InvalidToken: "Session tokens are not supported.",
  InvalidURI: "The URI can't be read.",
  KeyTooLongError: "The key is longer than 1024 bytes.",
  MalformedACLError: "The access control list is not valid.",
  MalformedPolicy: "The policy is not valid.",
  MalformedPOSTRequest: "The form is not valid multipart/form-data.",
  MalformedTrailerError: "The trailers are not valid, or not those that the header announced.",
  MalformedXML: "The XML is not well-formed, or not the document that this operation needs.",
  MaxMessageLengthExceeded: "The request is too large.",
  MaxPostPreDataLengthExceededError: "The fields before the file are too large.",
  MetadataTooLarge: "The user metadata is larger than 2 KiB.",
  MethodNotAllowed: "The method is not allowed on this resource.",
  MissingContentLength: "Content-Length is required.",
  MissingRequestBodyError: "The request has no body.",
  MissingSecurityHeader: "A required header is missing.",
  NoSuchBucket: "There is no such bucket.",
  NoSuchBucketPolicy: "The bucket has no policy.",
  NoSuchConfiguration: "There is no such configuration.",
  NoSuchCORSConfiguration: "The bucket has no CORS configuration.",
  NoSuchKey: "There is no such key.",
  NoSuchLifecycleConfiguration: "The bucket has no lifecycle configuration.",
  NoSuchObjectLockConfiguration: "The object has no lock.",
  NoSuchPublicAccessBlockConfiguration: "The bucket has no public access block.",
  NoSuchTagSet: "There are no tags.",
  NoSuchTagSetError: "There are no tags.",
  NoSuchUpload: "There is no such upload; it may have been completed or aborted.",
  NoSuchVersion: "There is no such version.",
  NoSuchWebsiteConfiguration: "The bucket has no website configuration.",
  NotImplemented: "This is not supported.",
  NotModified: "Not modified.",
  ObjectLockConfigurationNotFoundError: "The bucket has no object lock.",
  OperationAborted: "Another operation on this resource is under way; try again.",
  OwnershipControlsNotFoundError: "The bucket has no ownership controls.",
  PermanentRedirect: "The bucket is at another address.",
  PreconditionFailed: "A precondition is not met.",
  QuotaExceeded: "The storage quota is used up; delete objects, or ask the operator for more.",
  ReplicationConfigurationNotFoundError: "The bucket has no replication configuration.",
  RequestExpired: "The request has expired.",
  RequestHeaderSectionTooLarge: "The header section is too large.",
  RequestTimeout: "The content did not arrive in time.",
  RequestTimeTooSkewed: "The time of the request differs too much from that of the server.",
  ServerSideEncryptionConfigurationNotFoundError: "The bucket has no encryption configuration.",
  ServiceUnavailable: "The service can't answer now. Try again shortly.",
  SignatureDoesNotMatch: "The signature is not the one that the server computed; see the canonical request.",
  SlowDown: "Too many requests; slow down.",
  TooManyBuckets: "You have too many buckets.",
  UnexpectedContent: "This request takes no content.",
  UnresolvableGrantByEmailAddress: "There is no account with this address.",
  UnsupportedSignature: "This way of signing is not supported.",
  UserKeyMustBeSpecified: "The form has no key.",
  XAmzContentSHA256Mismatch: "The x-amz-content-sha256 header does not match the content.",
} as const satisfies Record<string, string>;

export type S3ErrorCode = keyof typeof S3_ERRORS;

export interface DeleteMarker {
  readonly versionId: string;
  /** Milliseconds since 1970, when the request named the version. */
  readonly modifiedAtMs?: number;
}

export interface S3ErrorOptions {
  /** Elements of the error document in addition to Code, Message, Resource and RequestId. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The delete marker that was found instead of the object; null: none. */
  readonly marker?: DeleteMarker | null;
  /** What decided, for the record of refused requests; never sent. */
  readonly facts?: () => RefusalFacts;
  /** For the log only; never sent. */
  readonly cause?: unknown;
}

export class S3Error extends Error {
  readonly code: S3ErrorCode;
  readonly options: S3ErrorOptions;

  /** `message` must not contain a secret. The default is the message of the code. */
  constructor(code: S3ErrorCode, message: string = S3_ERRORS[code], options: S3ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "S3Error";
    this.code = code;
    this.options = options;
  }
}
