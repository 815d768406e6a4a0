/**
 * Answers of the S3 gateway that are errors, by the names that S3 gives them. What the gateway's wire alone can tell (signatures, XML,
 * framing) is among them, so that there is one table.
 */
export const S3_ERRORS = {
  AccessControlListNotSupported: [400, "The bucket does not allow access control lists."],
  AccessDenied: [403, "Access denied."],
  AuthorizationHeaderMalformed: [400, "The Authorization header is malformed."],
  AuthorizationQueryParametersError: [400, "The query parameters of the signature are not valid."],
  BadDigest: [400, "The digest that was sent is not that of the content."],
  BadRequest: [400, "The request is not valid."],
  BucketAlreadyExists: [409, "The bucket name is taken; choose another."],
  BucketAlreadyOwnedByYou: [409, "You have this bucket already."],
  BucketNotEmpty: [409, "The bucket is not empty; delete its objects and their versions first."],
  ConditionalRequestConflict: [409, "Another request changed the object meanwhile; try again."],
  CORSForbidden: [403, "The bucket's CORS configuration does not allow this."],
  EntityTooLarge: [400, "The content is larger than allowed."],
  EntityTooSmall: [400, "The content is smaller than allowed."],
  ExpiredToken: [400, "The request has expired."],
  IllegalLocationConstraintException: [400, "The location is not that of this endpoint."],
  IllegalVersioningConfigurationException: [400, "The versioning configuration is not valid."],
  IncompleteBody: [400, "The content is shorter than its Content-Length."],
  IncorrectNumberOfFilesInPostRequest: [400, "A form must have exactly one file."],
  InternalError: [500, "An unexpected error. Try again."],
  InvalidAccessKeyId: [403, "There is no such access key."],
  InvalidArgument: [400, "An argument is not valid."],
  InvalidBucketAclWithObjectOwnership: [
    400,
    "The bucket's access control list gives others something; take that away first.",
  ],
  InvalidBucketName: [400, "The bucket name is not valid."],
  InvalidBucketState: [409, "The bucket's present state does not allow this."],
  InvalidDigest: [400, "The Content-MD5 is not valid."],
  InvalidEncryptionAlgorithmError: [400, "The encryption algorithm is not supported."],
  InvalidLocationConstraint: [400, "The location is not valid."],
  InvalidObjectState: [403, "The object's state does not allow this."],
  InvalidPart: [400, "A part was not found, or its ETag is not the one that was given."],
  InvalidPartNumber: [416, "There is no such part."],
  InvalidPartOrder: [400, "The parts are not in ascending order."],
  InvalidPolicyDocument: [400, "The form's policy is not valid."],
  InvalidRange: [416, "The range lies outside of the object."],
  InvalidRequest: [400, "The request is not valid."],
  InvalidRetentionPeriod: [400, "The retention period is not valid."],
  InvalidTag: [400, "A tag is not valid."],
  InvalidTargetBucketForLogging: [400, "The target bucket is not valid."],
  InvalidToken: [400, "Session tokens are not supported."],
  InvalidURI: [400, "The URI can't be read."],
  KeyTooLongError: [400, "The key is longer than 1024 bytes."],
  MalformedACLError: [400, "The access control list is not valid."],
  MalformedPolicy: [400, "The policy is not valid."],
  MalformedPOSTRequest: [400, "The form is not valid multipart/form-data."],
  MalformedTrailerError: [400, "The trailers are not valid, or not those that the header announced."],
  MalformedXML: [400, "The XML is not well-formed, or not what this operation takes."],
  MaxMessageLengthExceeded: [400, "The request is too large."],
  MaxPostPreDataLengthExceededError: [400, "The fields before the file are too large."],
  MetadataTooLarge: [400, "The user metadata is larger than 2 KiB."],
  MethodNotAllowed: [405, "The method is not allowed on this resource."],
  MissingContentLength: [411, "Content-Length is required."],
  MissingRequestBodyError: [400, "The request has no body."],
  MissingSecurityHeader: [400, "A required header is missing."],
  NoSuchBucket: [404, "There is no such bucket."],
  NoSuchBucketPolicy: [404, "The bucket has no policy."],
  NoSuchConfiguration: [404, "There is no such configuration."],
  NoSuchCORSConfiguration: [404, "The bucket has no CORS configuration."],
  NoSuchKey: [404, "There is no such key."],
  NoSuchLifecycleConfiguration: [404, "The bucket has no lifecycle configuration."],
  NoSuchObjectLockConfiguration: [404, "The object has no lock."],
  NoSuchPublicAccessBlockConfiguration: [404, "The bucket has no public access block."],
  NoSuchTagSet: [404, "There are no tags."],
  NoSuchTagSetError: [404, "There are no tags."],
  NoSuchUpload: [404, "There is no such upload; it may have been completed or aborted."],
  NoSuchVersion: [404, "There is no such version."],
  NoSuchWebsiteConfiguration: [404, "The bucket has no website configuration."],
  NotImplemented: [501, "This is not supported."],
  NotModified: [304, "Not modified."],
  ObjectLockConfigurationNotFoundError: [404, "The bucket has no object lock."],
  OperationAborted: [409, "Another operation on this resource is under way; try again."],
  OwnershipControlsNotFoundError: [404, "The bucket has no ownership controls."],
  PermanentRedirect: [301, "The bucket is at another address."],
  PreconditionFailed: [412, "A precondition is not met."],
  QuotaExceeded: [403, "The storage quota is used up; delete objects, or ask the operator for more."],
  ReplicationConfigurationNotFoundError: [404, "The bucket has no replication configuration."],
  RequestExpired: [403, "The request has expired."],
  RequestHeaderSectionTooLarge: [400, "The header section is too large."],
  RequestTimeout: [400, "The content did not arrive in time."],
  RequestTimeTooSkewed: [403, "The time of the request differs too much from that of the server."],
  ServerSideEncryptionConfigurationNotFoundError: [404, "The bucket has no encryption configuration."],
  ServiceUnavailable: [503, "The service can't answer now. Try again shortly."],
  SignatureDoesNotMatch: [403, "The signature is not the one that the server computed; see the canonical request."],
  SlowDown: [503, "Too many requests; slow down."],
  TooManyBuckets: [400, "You have too many buckets."],
  UnexpectedContent: [400, "This request takes no content."],
  UnresolvableGrantByEmailAddress: [400, "There is no account with this address."],
  UnsupportedSignature: [400, "This way of signing is not supported."],
  UserKeyMustBeSpecified: [400, "The form has no key."],
  XAmzContentSHA256Mismatch: [400, "The x-amz-content-sha256 header is not that of the content."],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type S3ErrorCode = keyof typeof S3_ERRORS;

export interface S3ErrorOptions {
  /** Elements of the error document beside Code, Message, Resource and RequestId. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only; never sent. */
  readonly cause?: unknown;
}

/** An error that is an answer of the S3 gateway. */
export class S3Error extends Error {
  readonly code: S3ErrorCode;
  readonly options: S3ErrorOptions;

  /** `message` must hold no secret; the code's own when it is not given. */
  constructor(code: S3ErrorCode, message: string = S3_ERRORS[code][1], options: S3ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "S3Error";
    this.code = code;
    this.options = options;
  }

  get status(): number {
    return S3_ERRORS[this.code][0];
  }
}
