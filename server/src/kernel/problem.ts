/**
 * Errors that are answers. A `Problem` has a stable code and a sentence for the caller. Any other thrown error is a
 * bug. This file does not know HTTP: `http/problems.ts` and the error tables of the surfaces convert problems to
 * answers.
 */

import type { RefusalFacts } from "./refusal.ts";

/** Problems that the caller can solve. */
const OF_THE_CALLER = [
  "invalid_request",
  "invalid_body",
  "invalid_parameter",
  "invalid_sql",
  "sql_not_allowed",
  "query_failed",
  "query_timeout",
  "query_cancelled",
  "query_scan_limit",
  "query_memory",
  "query_too_large",
  "idempotency_key_reused",
  "unauthorized",
  "invalid_token",
  "sign_in_failed",
  "webhook_refused",
  "insufficient_scope",
  "forbidden",
  "project_archived",
  "organization_read_only",
  "organization_blocked",
  "address_not_allowed",
  "approval_pending",
  "second_factor_required",
  "provider_sign_in_required",
  "new_sign_in_required",
  "cross_site",
  "confirmation_required",
  "insufficient_user_authentication",
  "presigned_url_invalid",
  "presigned_url_expired",
  "not_found",
  "method_not_allowed",
  "not_acceptable",
  "request_timeout",
  "conflict",
  "limit_reached",
  "duplicate_slug",
  "idempotency_in_progress",
  "concurrent_update",
  "more_rows_match",
  "orphans_undecided",
  "precondition_failed",
  "body_too_large",
  "storage_quota_exceeded",
  "unsupported_media_type",
  "range_not_satisfiable",
  "expectation_failed",
  "header_too_large",
  "checksum_mismatch",
  "rate_limited",
  "quota_exceeded",
] as const;

/** Problems of the server, with a valid request. */
const OF_THE_SERVER = [
  "internal",
  "unavailable",
  "sandbox_missing",
  "telemetry_incomplete",
  "read_timeout",
  "disk_full",
] as const;

/** Stable, because callers depend on them. `http/problems.ts` gives each a status and a title. */
export const PROBLEM_CODES = [...OF_THE_CALLER, ...OF_THE_SERVER] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** An invalid part of a request: a JSON pointer (RFC 6901) into the body, or the name of a parameter. */
export interface ProblemPlace {
  pointer: string;
  detail: string;
}

/** The check that caused a 403. */
export type DecidedBy = "scope" | "role" | "policy" | "project" | "address" | "approval" | "parent";

/** A position in a text of the request. Both numbers start at 1. Columns are in UTF-16 units, as in editors. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A number of requests in a period. */
export interface Allowance {
  readonly name: string;
  readonly most: number;
  readonly windowS: number;
}

export interface ProblemOptions {
  /** The position of the fault in a statement. */
  position?: TextPosition;
  /** Invalid parts of the body, for 400 (the first 20 are reported). */
  errors?: readonly ProblemPlace[];
  /** Whole seconds after which the same request may succeed. */
  retryAfterS?: number;
  /** The allowance that is used up. */
  allowance?: Allowance;
  /** The scope that was missing, for `insufficient_scope` (RFC 6750 section 3.1). */
  scope?: string;
  /** The check that caused the 403. */
  decidedBy?: DecidedBy;
  /** What decided, for the record of refused requests; never sent. It is called at most once, after the answer is known. */
  facts?: () => RefusalFacts;
  /** For the log only; never sent. */
  cause?: unknown;
}

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly options: ProblemOptions;

  /** `detail` is one sentence that tells the caller what to do next. It must not contain a secret. */
  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.options = options;
  }

  /** Whether the caller can solve it. False: the server must. */
  get isCallers(): boolean {
    return (OF_THE_CALLER as readonly ProblemCode[]).includes(this.code);
  }
}
