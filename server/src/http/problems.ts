import { LIMITED_STATES, PROJECT_STATE_RULES, type LimitedState } from "@mooring/contract";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { CONFIRMATION_MS, PROBLEM_PLACES_MAX } from "#kernel/limits.ts";
import { isDisconnect } from "./disconnect.ts";
import { routeOf } from "./metrics.ts";
import { Problem, type Allowance, type ProblemCode, type ProblemOptions } from "#kernel/problem.ts";

export const PROBLEM_TYPE = "application/problem+json; charset=utf-8";
const TYPE_BASE = "urn:mooring:problem:";

/** The status and title of each code. `type` of a problem is `TYPE_BASE` and the code. */
export const PROBLEMS = {
  invalid_request: { status: 400, title: "The request is not valid" },
  invalid_body: { status: 400, title: "The request body is not valid" },
  invalid_parameter: { status: 400, title: "A parameter is not valid" },
  invalid_sql: { status: 400, title: "The SQL statement is not valid" },
  sql_not_allowed: { status: 400, title: "The SQL statement is not allowed" },
  query_failed: { status: 400, title: "The query failed" },
  query_timeout: { status: 400, title: "The query took longer than its time limit" },
  query_cancelled: { status: 400, title: "The query was cancelled" },
  query_scan_limit: { status: 400, title: "The query would read more than its limit" },
  query_memory: { status: 400, title: "The query needed more memory than its limit" },
  query_too_large: { status: 400, title: "The result has more rows than the limit" },
  idempotency_key_reused: { status: 422, title: "The idempotency key was used for another request" },
  unauthorized: { status: 401, title: "Authentication is required" },
  invalid_token: { status: 401, title: "The access token is not valid" },
  insufficient_user_authentication: { status: 401, title: "A more recent sign-in is required" },
  sign_in_failed: { status: 401, title: "The sign-in failed" },
  webhook_refused: { status: 401, title: "The request could not be verified" },
  insufficient_scope: { status: 403, title: "A permission is missing" },
  forbidden: { status: 403, title: "The request is not permitted" },
  ...projectProblems(),
  organization_read_only: { status: 403, title: "The organization is read-only" },
  organization_blocked: { status: 403, title: "The organization is blocked" },
  address_not_allowed: { status: 403, title: "Not allowed from this address" },
  approval_pending: { status: 403, title: "The credential waits for an approval" },
  second_factor_required: { status: 403, title: "A second factor is required" },
  provider_sign_in_required: { status: 403, title: "A sign-in by single sign-on is required" },
  new_sign_in_required: { status: 403, title: "A new sign-in is required" },
  cross_site: { status: 403, title: "The request comes from another site" },
  confirmation_required: { status: 403, title: "Confirm who you are" },
  presigned_url_invalid: { status: 403, title: "The presigned URL is not valid" },
  presigned_url_expired: { status: 403, title: "The presigned URL has expired" },
  not_found: { status: 404, title: "The resource does not exist" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  not_acceptable: { status: 406, title: "None of the accepted media types can be produced" },
  request_timeout: { status: 408, title: "The request took too long to arrive" },
  conflict: { status: 409, title: "The request conflicts with the current state" },
  limit_reached: { status: 409, title: "A limit is reached" },
  duplicate_slug: { status: 409, title: "The slug is taken" },
  idempotency_in_progress: { status: 409, title: "A request with this idempotency key is still running" },
  concurrent_update: { status: 409, title: "The resource was changed in the meantime" },
  more_rows_match: { status: 409, title: "More rows match than expected" },
  orphans_undecided: { status: 409, title: "Nobody can become responsible for the credentials" },
  precondition_failed: { status: 412, title: "A precondition is not met" },
  body_too_large: { status: 413, title: "The request body is too large" },
  storage_quota_exceeded: { status: 413, title: "The storage quota is used up" },
  unsupported_media_type: { status: 415, title: "The media type is not supported" },
  range_not_satisfiable: { status: 416, title: "The range lies outside of the content" },
  expectation_failed: { status: 417, title: "The expectation can't be met" },
  header_too_large: { status: 431, title: "The request header is too large" },
  checksum_mismatch: { status: 460, title: "The checksum does not match the content" },
  rate_limited: { status: 429, title: "Too many requests" },
  quota_exceeded: { status: 429, title: "A quota is used up" },
  internal: { status: 500, title: "An unexpected error" },
  unavailable: { status: 503, title: "The service can't answer now" },
  sandbox_missing: { status: 503, title: "SQL is refused because the query sandbox is not available" },
  telemetry_incomplete: { status: 503, title: "Not all of the telemetry can be read here" },
  read_timeout: { status: 503, title: "The list took too long to read" },
  disk_full: { status: 503, title: "The disk is full" },
} as const satisfies Record<ProblemCode, { status: number; title: string }>;

/** `project_archived`, and a code for each other state that forbids something. */
function projectProblems(): Record<`project_${LimitedState}`, { status: 403; title: string }> {
  const rows = LIMITED_STATES.map((state) => {
    const title = `The project is ${PROJECT_STATE_RULES[state].name}`;
    return [`project_${state}`, { status: 403, title }];
  });
  return Object.fromEntries(rows) as ReturnType<typeof projectProblems>;
}

export function statusOf({ code }: Pick<Problem, "code">): number {
  return PROBLEMS[code].status;
}

/** A refusal by HTTP itself, with header fields for the answer. */
export class HttpProblem extends Problem {
  readonly fields: Readonly<Record<string, string>>;

  /** `fields` have names in lower case. */
  constructor(
    code: ProblemCode,
    detail: string,
    fields: Readonly<Record<string, string>>,
    options: ProblemOptions = {},
  ) {
    super(code, detail, options);
    this.fields = fields;
  }
}

/**
 * Returns the header fields of a problem in every format: `Retry-After` (RFC 9110 section 10.2.3) and the fields of
 * draft-ietf-httpapi-ratelimit-headers.
 */
export function fieldsOf(problem: Problem): Record<string, string> {
  const { retryAfterS, allowance } = problem.options;
  return {
    ...(retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) }),
    ...(allowance === undefined ? {} : rateLimitFields(allowance, 0, retryAfterS ?? allowance.windowS)),
    ...(problem instanceof HttpProblem ? problem.fields : {}),
  };
}

export function rateLimitFields(
  { name, most, windowS }: Allowance,
  remaining: number,
  refillS: number,
): { "ratelimit-policy": string; ratelimit: string } {
  return { "ratelimit-policy": `"${name}";q=${most};w=${windowS}`, ratelimit: `"${name}";r=${remaining};t=${refillS}` };
}

/** Fastify's own refusals, in our words. Any other error that is not a `Problem` is a bug. */
const FASTIFY_CODES: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported_media_type", "Send the body as application/json."],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["invalid_body", "The body is empty; send a JSON object."],
  FST_ERR_CTP_INVALID_JSON_BODY: ["invalid_body", "The body is not valid JSON."],
  FST_ERR_CTP_BODY_TOO_LARGE: ["body_too_large", "The body is larger than this operation allows."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["invalid_request", "Content-Length does not match the body."],
  FST_ERR_BAD_URL: ["invalid_request", "The path is not validly percent-encoded."],
  FST_ERR_MAX_PARAM_LENGTH: ["not_found", "There is nothing at this address."],
};

/** Converts an error to a problem. A bug becomes `internal` and keeps its cause for the log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const code = (error as Partial<FastifyError>).code;
  const known = typeof code === "string" ? FASTIFY_CODES[code] : undefined;
  if (known !== undefined) return new Problem(known[0], known[1], { cause: error });
  // Fastify reports a JSON body with __proto__ or constructor, or one that does not parse, as a SyntaxError with status
  // 400.
  if (error instanceof SyntaxError && (error as Partial<FastifyError>).statusCode === 400) {
    return new Problem("invalid_body", "The body is not valid JSON.", { cause: error });
  }
  if (isAborted(error))
    return new Problem("invalid_request", "The body ended before it was complete.", { cause: error });
  return new Problem("internal", "Something went wrong on our side. Quote the request id when you report it.", {
    cause: error,
  });
}

/** Whether Node reports that the sender disconnected in the middle of the body. The operator has nothing to repair. */
function isAborted(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNRESET" && error.message === "aborted";
}

/** Builds RFC 9457 problem details. `instance` is the path without its query, which may contain secrets. */
export function problemBody(problem: Problem, path: string, requestId: string): Record<string, unknown> {
  const { errors, scope, decidedBy, position } = problem.options;
  return {
    type: TYPE_BASE + problem.code,
    title: PROBLEMS[problem.code].title,
    status: statusOf(problem),
    detail: problem.message,
    instance: path,
    code: problem.code,
    request_id: requestId,
    ...(position === undefined ? {} : { position }),
    ...(scope === undefined ? {} : { required_scope: scope }),
    ...(decidedBy === undefined ? {} : { decided_by: decidedBy }),
    ...(errors === undefined || errors.length === 0 ? {} : { errors: errors.slice(0, PROBLEM_PLACES_MAX) }),
  };
}

/** Returns `WWW-Authenticate` for 401 and for a missing scope (RFC 6750 section 3, RFC 9470 section 3). */
export function challengeOf(problem: Problem): string | undefined {
  if (problem.code === "unauthorized") return 'Bearer realm="mooring"';
  if (problem.code === "invalid_token") {
    return `Bearer realm="mooring", error="invalid_token", error_description="${quotable(problem.message)}"`;
  }
  if (problem.code === "insufficient_user_authentication") {
    const detail = `error_description="${quotable(problem.message)}", max_age=${CONFIRMATION_MS / 1000}`;
    return `Bearer realm="mooring", error="insufficient_user_authentication", ${detail}`;
  }
  if (problem.code === "insufficient_scope") {
    return `Bearer realm="mooring", error="insufficient_scope", scope="${quotable(problem.options.scope ?? "")}"`;
  }
  return undefined;
}

/** Sends the problem, and logs the details that the caller does not get. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const problem = beginProblem(request, reply, error);
  // JSON.stringify, because the route's serializer would remove members that its schema does not have.
  return reply
    .header("content-type", PROBLEM_TYPE)
    .send(JSON.stringify(problemBody(problem, pathOf(request), request.id)));
}

/** Notes the problem for the record of refused requests and for the log. */
export function noteRefusal(request: FastifyRequest, { code, message, options }: Problem): void {
  request.refusal = { code, detail: message, options };
}

/** Notes the problem of the error, and sets the status and header fields of the answer, but not its body. */
export function beginProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): Problem {
  const problem = problemOf(error);
  if (problem.code === "internal") logFailure(request, problem.options.cause);
  noteRefusal(request, problem);
  const challenge = challengeOf(problem);
  if (challenge !== undefined) void reply.header("www-authenticate", challenge);
  // A stream that failed before its first byte has announced its coding.
  void reply.removeHeader("content-encoding");
  const status = statusOf(problem);
  if (status === 503 || status === 429) void reply.header("retry-after", "1");
  void reply.headers(fieldsOf(problem));
  void reply.code(status).header("cache-control", "no-store");
  return problem;
}

/** Logs a bug or a disconnect. */
export function logFailure(request: FastifyRequest, err: unknown): void {
  if (isDisconnect(err, request.raw)) request.log.debug({ err }, "the caller went away");
  else request.log.error({ err, route: routeOf(request) }, "request failed unexpectedly");
}

export function pathOf(request: FastifyRequest): string {
  const url = request.url;
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}

/** Keeps the characters that RFC 6750 allows in a quoted parameter. */
function quotable(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, " ");
}
