import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { PROBLEM_PLACES_MAX } from "#kernel/limits.ts";
import { isDisconnect } from "./disconnect.ts";
import { PROBLEMS, Problem, type ProblemCode } from "#kernel/problem.ts";

export const PROBLEM_TYPE = "application/problem+json; charset=utf-8";
/** Documentation of the codes; `type` of a problem is this with the code as fragment. */
const TYPE_BASE = "urn:mooring:problem:";

/** Fastify's own refusals, in our words. Anything not here and not a `Problem` is a bug. */
const FASTIFY_CODES: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported_media_type", "Send the body as application/json."],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["invalid_body", "The body is empty; send a JSON object."],
  FST_ERR_CTP_INVALID_JSON_BODY: ["invalid_body", "The body is not valid JSON."],
  FST_ERR_CTP_BODY_TOO_LARGE: ["body_too_large", "The body is larger than this operation takes."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["invalid_request", "Content-Length does not match the body."],
  FST_ERR_BAD_URL: ["invalid_request", "The path is not validly percent-encoded."],
  FST_ERR_MAX_PARAM_LENGTH: ["not_found", "There is nothing at this address."],
};

/** The problem that an error stands for; a bug becomes `internal` and keeps its cause for the log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const code = (error as Partial<FastifyError>).code;
  const known = typeof code === "string" ? FASTIFY_CODES[code] : undefined;
  if (known !== undefined) return new Problem(known[0], known[1], { cause: error });
  // A JSON body that names __proto__ or constructor, or does not parse, arrives as a SyntaxError with a status of 400.
  if (error instanceof SyntaxError && (error as Partial<FastifyError>).statusCode === 400) {
    return new Problem("invalid_body", "The body is not valid JSON.", { cause: error });
  }
  if (isAborted(error)) return new Problem("invalid_request", "The body ended before it was whole.", { cause: error });
  return new Problem("internal", "Something went wrong on our side. Quote the request id when you report it.", {
    cause: error,
  });
}

/** What Node says of a request whose sender went away in the middle of the body: nothing that an operator could mend. */
function isAborted(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNRESET" && error.message === "aborted";
}

/** RFC 9457 problem details. `instance` is the path without its query, which may hold secrets. */
export function problemBody(problem: Problem, path: string, requestId: string): Record<string, unknown> {
  const { errors, scope, decidedBy, position } = problem.options;
  return {
    type: TYPE_BASE + problem.code,
    title: PROBLEMS[problem.code].title,
    status: problem.status,
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

/** `WWW-Authenticate` for 401 and for a missing scope (RFC 6750 section 3). */
export function challengeOf(problem: Problem): string | undefined {
  if (problem.code === "unauthorized") return 'Bearer realm="mooring"';
  if (problem.code === "invalid_token") {
    return `Bearer realm="mooring", error="invalid_token", error_description="${quotable(problem.message)}"`;
  }
  if (problem.code === "insufficient_scope") {
    return `Bearer realm="mooring", error="insufficient_scope", scope="${quotable(problem.options.scope ?? "")}"`;
  }
  return undefined;
}

/** Answers with the problem; also logs what the caller is not told. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  const problem = beginProblem(request, reply, error);
  // JSON.stringify here: a schema-made serialiser of the route must not filter the members of an error.
  return reply
    .header("content-type", PROBLEM_TYPE)
    .send(JSON.stringify(problemBody(problem, pathOf(request), request.id)));
}

/** Logs the problem that the error stands for and gives the answer all but its body: status and header fields. */
export function beginProblem(request: FastifyRequest, reply: FastifyReply, error: unknown): Problem {
  const problem = problemOf(error);
  if (problem.code === "internal" && isDisconnect(problem.options.cause, request.raw))
    request.log.debug({ err: problem.options.cause }, "the caller went away");
  else if (problem.code === "internal")
    request.log.error({ err: problem.options.cause }, "request failed unexpectedly");
  else if (problem.status >= 500)
    request.log.warn({ code: problem.code, err: problem.options.cause }, "request refused");
  const challenge = challengeOf(problem);
  if (challenge !== undefined) void reply.header("www-authenticate", challenge);
  if (problem.status === 503 || problem.status === 429) void reply.header("retry-after", "1");
  for (const [name, value] of Object.entries(problem.options.headers ?? {})) void reply.header(name, value);
  void reply.code(problem.status).header("cache-control", "no-store");
  return problem;
}

export function pathOf(request: FastifyRequest): string {
  const url = request.url;
  const query = url.indexOf("?");
  return query === -1 ? url : url.slice(0, query);
}

/** What RFC 6750 lets stand in a quoted parameter. */
function quotable(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, " ");
}
