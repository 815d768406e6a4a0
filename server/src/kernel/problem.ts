/**
 * Errors that are answers. A `Problem` is thrown on purpose, carries a stable code from the table below and a
 * sentence for the caller; anything else that is thrown is a bug and becomes a 500 without detail.
 * Surfaces with a form of their own (OAuth, OCI, S3) render a `Problem` in that form.
 */
export const PROBLEMS = {
  invalid_request: { status: 400, title: "The request is not valid" },
  invalid_body: { status: 400, title: "The request body is not valid" },
  invalid_parameter: { status: 400, title: "A parameter is not valid" },
  invalid_sql: { status: 400, title: "The SQL statement is not valid" },
  sql_not_allowed: { status: 400, title: "The SQL statement is not allowed" },
  query_failed: { status: 400, title: "The query failed" },
  query_timeout: { status: 400, title: "The query took longer than its time limit" },
  query_memory: { status: 400, title: "The query needed more memory than its limit" },
  query_too_large: { status: 400, title: "The result has more rows than the limit" },
  idempotency_key_reused: { status: 422, title: "The idempotency key was used for another request" },
  unauthorized: { status: 401, title: "Authentication is required" },
  invalid_token: { status: 401, title: "The access token is not valid" },
  sign_in_failed: { status: 401, title: "The sign-in failed" },
  webhook_refused: { status: 401, title: "The request could not be verified" },
  insufficient_scope: { status: 403, title: "A permission is missing" },
  forbidden: { status: 403, title: "The request is not permitted" },
  project_archived: { status: 403, title: "The project is archived" },
  address_not_allowed: { status: 403, title: "The credential may not be used from this address" },
  approval_pending: { status: 403, title: "The credential waits for an approval" },
  second_factor_required: { status: 403, title: "A second factor is required" },
  provider_sign_in_required: { status: 403, title: "A sign-in by single sign-on is required" },
  cross_site: { status: 403, title: "The request comes from another site" },
  confirmation_required: { status: 403, title: "Confirm who you are" },
  presigned_url_invalid: { status: 403, title: "The presigned URL is not valid" },
  presigned_url_expired: { status: 403, title: "The presigned URL has expired" },
  not_found: { status: 404, title: "The resource does not exist" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  not_acceptable: { status: 406, title: "None of the accepted media types can be produced" },
  request_timeout: { status: 408, title: "The request took too long to arrive" },
  conflict: { status: 409, title: "The request conflicts with the present state" },
  limit_reached: { status: 409, title: "A limit is reached" },
  duplicate_slug: { status: 409, title: "The slug is taken" },
  idempotency_in_progress: { status: 409, title: "A request with this idempotency key is still running" },
  concurrent_update: { status: 409, title: "It was changed meanwhile" },
  precondition_failed: { status: 412, title: "A precondition is not met" },
  body_too_large: { status: 413, title: "The request body is too large" },
  storage_quota_exceeded: { status: 413, title: "The storage quota is used up" },
  unsupported_media_type: { status: 415, title: "The media type is not supported" },
  range_not_satisfiable: { status: 416, title: "The range lies outside of the content" },
  expectation_failed: { status: 417, title: "The expectation can't be met" },
  header_too_large: { status: 431, title: "The request header is too large" },
  checksum_mismatch: { status: 460, title: "The checksum is not that of the content" },
  rate_limited: { status: 429, title: "Too many requests" },
  quota_exceeded: { status: 429, title: "A quota is used up" },
  internal: { status: 500, title: "An unexpected error" },
  unavailable: { status: 503, title: "The service can't answer now" },
  sandbox_missing: { status: 503, title: "SQL is refused without its sandbox" },
  telemetry_incomplete: { status: 503, title: "Not all of the telemetry can be read here" },
  read_timeout: { status: 503, title: "The list took too long to read" },
  disk_full: { status: 503, title: "The disk is full" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** One bad place in a request: a JSON pointer (RFC 6901) into the body, or the name of a parameter. */
export interface ProblemPlace {
  pointer: string;
  detail: string;
}

/** What a 403 was decided by. */
export type DecidedBy = "scope" | "role" | "policy" | "project" | "address" | "approval" | "parent";

/** A place in a text of the request, both counted from 1; columns in UTF-16 units, as editors do. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

export interface ProblemOptions {
  /** Where in a statement it is. */
  position?: TextPosition;
  /** Places in the body, for 400 (the first 20 are reported). */
  errors?: readonly ProblemPlace[];
  /** Header fields to send with the answer, for example `Retry-After`. */
  headers?: Readonly<Record<string, string>>;
  /** The scope that was missing, for `insufficient_scope` (RFC 6750 section 3.1). */
  scope?: string;
  /** What really decided, for 403. */
  decidedBy?: DecidedBy;
  /** For the log only; never sent. */
  cause?: unknown;
}

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly options: ProblemOptions;

  /** `detail` is one sentence for the caller that says what to do next. It must hold no secret. */
  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.options = options;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}
