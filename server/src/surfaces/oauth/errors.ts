import { fieldsOf, problemOf, statusOf } from "#http/index.ts";
import { LoginRefusal } from "#domain/people/index.ts";
import { ScopeRefusal } from "#domain/identity/index.ts";
import type { ProblemCode } from "#kernel/problem.ts";

/**
 * The error codes of this surface: RFC 6749 section 5.2, RFC 6750 section 3.1, RFC 8628 section 3.5, and RFC 6749 section
 * 4.1.2.1 for HTTP errors.
 */
export const OAUTH_ERRORS = {
  invalid_request: 400,
  invalid_client: 401,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  invalid_grant: 400,
  authorization_pending: 400,
  slow_down: 400,
  access_denied: 400,
  expired_token: 400,
  invalid_scope: 400,
  invalid_token: 401,
  temporarily_unavailable: 503,
  server_error: 500,
} as const satisfies Record<string, number>;

export type OauthErrorCode = keyof typeof OAUTH_ERRORS;

/**
 * Problems of an authenticated client that may not have a token. They become `unauthorized_client` (RFC 6749 section
 * 5.2).
 */
const CLIENT_REFUSALS: ReadonlySet<ProblemCode> = new Set([
  "organization_blocked",
  "organization_read_only",
  "address_not_allowed",
  "approval_pending",
  "second_factor_required",
  "provider_sign_in_required",
  "new_sign_in_required",
]);

export class OauthError extends Error {
  readonly code: OauthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** `description` is for the client's developer and must contain no secret. */
  constructor(
    code: OauthErrorCode,
    description: string,
    options: { status?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(description, { cause: options.cause });
    this.name = "OauthError";
    this.code = code;
    this.status = options.status ?? OAUTH_ERRORS[code];
    this.headers = options.headers ?? {};
  }
}

/** Every answer contains or concerns a secret, so no cache may store it (RFC 6749 section 5.1). */
export const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" } as const;

/** HTTP statuses that are kept, since OAuth has no code for them. */
const HTTP_REFUSALS = new Set([408, 413, 417]);

/** Converts any error to one of this surface. A bug becomes `server_error` and keeps its cause for the log. */
export function oauthErrorOf(error: unknown): OauthError {
  if (error instanceof OauthError) return error;
  if (error instanceof LoginRefusal) return new OauthError(error.code, error.message);
  if (error instanceof ScopeRefusal) return new OauthError("invalid_scope", error.message);
  const problem = problemOf(error);
  const { message } = problem;
  const status = statusOf(problem);
  const headers = fieldsOf(problem);
  if (problem.code === "unauthorized") return new OauthError("invalid_client", message, { headers });
  if (problem.code === "invalid_token") return new OauthError("invalid_token", message, { headers });
  if (CLIENT_REFUSALS.has(problem.code)) return new OauthError("unauthorized_client", message);
  if (problem.code === "unsupported_media_type") return notAForm();
  if (status === 429) return new OauthError("temporarily_unavailable", message, { status, headers });
  if (problem.code === "internal") return new OauthError("server_error", message, { cause: problem.options.cause });
  if (status >= 500)
    return new OauthError("temporarily_unavailable", message, {
      status: 503,
      headers: { "retry-after": "1", ...headers },
      cause: problem.options.cause,
    });
  return new OauthError("invalid_request", message, { status: HTTP_REFUSALS.has(status) ? status : 400, headers });
}

export function notAForm(): OauthError {
  return new OauthError("invalid_request", "Send the parameters as application/x-www-form-urlencoded in the body.");
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; undefined: no body. */
  readonly body: object | undefined;
}

/** Renders an error by RFC 6749 section 5.2. Every 401 has `WWW-Authenticate`. */
export function renderError(error: OauthError): Answer {
  return {
    status: error.status,
    headers: { ...NO_STORE, ...challengeOf(error), ...error.headers },
    body: { error: error.code, error_description: printable(error.message) },
  };
}

function challengeOf(error: OauthError): Record<string, string> {
  if (error.code === "invalid_client") return { "www-authenticate": 'Basic realm="mooring", charset="UTF-8"' };
  if (error.code !== "invalid_token") return {};
  return {
    "www-authenticate": `Bearer realm="mooring", error="invalid_token", error_description="${printable(error.message)}"`,
  };
}

/** Replaces characters that `error_description` can't have: quotes, backslashes and everything beyond ASCII. */
function printable(text: string): string {
  return text.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, " ");
}
