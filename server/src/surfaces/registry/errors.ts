import { denied, RegistryError, type RegistryErrorCode } from "#domain/registry/index.ts";
import { answerProblem, DATA_FIELDS, problemOf, statusOf, type ProtocolAnswer } from "#http/index.ts";
import type { Problem, ProblemCode } from "#kernel/problem.ts";
import { sendJson, type Reply, type Request } from "./exchange.ts";
import { RegistryRefusal, statusOfRegistry } from "./refusal.ts";

/** The specification's code for each of our problems. For others the status decides: each 403 is `DENIED`. */
const CODES: Partial<Record<ProblemCode, RegistryErrorCode>> = {
  invalid_request: "UNSUPPORTED",
  invalid_body: "SIZE_INVALID",
  unauthorized: "UNAUTHORIZED",
  invalid_token: "UNAUTHORIZED",
  not_found: "NAME_UNKNOWN",
  method_not_allowed: "UNSUPPORTED",
  body_too_large: "SIZE_INVALID",
  rate_limited: "TOOMANYREQUESTS",
  quota_exceeded: "TOOMANYREQUESTS",
  storage_quota_exceeded: "DENIED",
  unavailable: "UNAVAILABLE",
  disk_full: "UNAVAILABLE",
  read_timeout: "UNAVAILABLE",
};

function codeOf(problem: Problem): RegistryErrorCode {
  if (problem.code === "internal") return "UNKNOWN";
  if (statusOf(problem) === 403) return "DENIED";
  return CODES[problem.code] ?? (problem.isCallers ? "UNSUPPORTED" : "UNAVAILABLE");
}

/** Sent with every answer; old clients recognize the registry by it. */
export const API_VERSION = { "docker-distribution-api-version": "registry/2.0" } as const;

/** Renders an error for bytes that are not a request, and so have no reply of the framework. */
export function renderError(problem: Problem): ProtocolAnswer {
  const body = JSON.stringify({ errors: [{ code: codeOf(problem), message: problem.message }] });
  const headers = { "content-type": "application/json", ...API_VERSION, ...DATA_FIELDS };
  return { status: statusOf(problem), headers, body };
}

/** Sends an error in the form of the distribution specification, "Error codes". */
export function sendError(request: Request, reply: Reply, error: unknown): Reply {
  const refusal = refusalOf(request, reply, error);
  const { code, message, options } = refusal;
  const status = statusOfRegistry(refusal);
  const { facts, cause } = options;
  const own = request.refusal?.options ?? {};
  request.refusal = {
    code,
    detail: message,
    options: { ...own, ...(facts && { facts }), ...(cause !== undefined && { cause }) },
  };
  const headers = refusal instanceof RegistryRefusal ? refusal.headers : {};
  // Every 401 must say how to sign in (RFC 9110 section 15.5.2). Without a token challenge it offers Basic.
  const challenge = status === 401 ? { "www-authenticate": 'Basic realm="mooring", charset="UTF-8"' } : {};
  void reply.code(status).headers({ "cache-control": "no-store", ...API_VERSION, ...challenge, ...headers });
  const detail = options.detail === undefined ? {} : { detail: options.detail };
  return sendJson(reply, { errors: [{ code, message, ...detail }] });
}

function refusalOf(request: Request, reply: Reply, error: unknown): RegistryError {
  if (error instanceof RegistryError) return error;
  const problem = answerProblem(request, reply, problemOf(error));
  const { message } = problem;
  void reply.removeHeader("www-authenticate");
  const code = codeOf(problem);
  return new RegistryRefusal(code, code === "DENIED" ? denied(message) : message, { status: statusOf(problem) });
}
