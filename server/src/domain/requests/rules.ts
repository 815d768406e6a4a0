import { REFUSAL_RULES, type AllowingAct, type RefusalRule } from "@mooring/contract";
import type { AllowingStep, RefusedRequest } from "#kernel/refusal.ts";
import type { ProblemCode } from "#kernel/problem.ts";

/** The rule of each problem, where the facts of the refusal do not name another one. */
const OF_PROBLEMS: Readonly<Record<ProblemCode, RefusalRule>> = {
  invalid_request: "validation",
  invalid_body: "validation",
  invalid_parameter: "validation",
  invalid_sql: "validation",
  sql_not_allowed: "validation",
  query_failed: "validation",
  query_timeout: "size",
  query_memory: "size",
  query_too_large: "size",
  query_cancelled: "conflict",
  query_scan_limit: "size",
  idempotency_key_reused: "conflict",
  unauthorized: "credentials",
  invalid_token: "credentials",
  sign_in_failed: "credentials",
  webhook_refused: "credentials",
  insufficient_scope: "scope",
  forbidden: "role",
  project_archived: "project_state",
  organization_read_only: "organization_state",
  organization_blocked: "organization_state",
  address_not_allowed: "address",
  approval_pending: "approval",
  second_factor_required: "sign_in",
  provider_sign_in_required: "sign_in",
  new_sign_in_required: "sign_in",
  cross_site: "origin",
  confirmation_required: "sign_in",
  insufficient_user_authentication: "sign_in",
  presigned_url_invalid: "credentials",
  presigned_url_expired: "expired",
  not_found: "absent",
  method_not_allowed: "method",
  not_acceptable: "validation",
  request_timeout: "timeout",
  conflict: "conflict",
  limit_reached: "limit",
  duplicate_slug: "conflict",
  idempotency_in_progress: "conflict",
  concurrent_update: "conflict",
  more_rows_match: "conflict",
  orphans_undecided: "conflict",
  precondition_failed: "conflict",
  body_too_large: "size",
  storage_quota_exceeded: "quota",
  unsupported_media_type: "validation",
  range_not_satisfiable: "validation",
  expectation_failed: "validation",
  header_too_large: "size",
  checksum_mismatch: "validation",
  rate_limited: "rate",
  quota_exceeded: "quota",
  internal: "internal",
  unavailable: "unavailable",
  sandbox_missing: "unavailable",
  telemetry_incomplete: "unavailable",
  read_timeout: "unavailable",
  disk_full: "unavailable",
};

/** The rule of codes of other protocols whose status does not say it: S3, OAuth, the registry. */
const OF_PROTOCOLS: Readonly<Record<string, RefusalRule>> = {
  EntityTooLarge: "size",
  EntityTooSmall: "size",
  KeyTooLongError: "size",
  MaxMessageLengthExceeded: "size",
  MaxPostPreDataLengthExceededError: "size",
  MetadataTooLarge: "size",
  RequestHeaderSectionTooLarge: "size",
  QuotaExceeded: "quota",
  TooManyBuckets: "limit",
  SlowDown: "rate",
  RequestTimeout: "timeout",
  ExpiredToken: "expired",
  CORSForbidden: "origin",
  InvalidAccessKeyId: "credentials",
  InvalidToken: "credentials",
  SignatureDoesNotMatch: "credentials",
  AuthorizationHeaderMalformed: "credentials",
  AuthorizationQueryParametersError: "credentials",
  RequestTimeTooSkewed: "credentials",
  invalid_client: "credentials",
  invalid_grant: "credentials",
  invalid_scope: "scope",
  expired_token: "expired",
  access_denied: "role",
  slow_down: "rate",
  authorization_pending: "approval",
  unauthorized_client: "credentials",
  UNAUTHORIZED: "credentials",
  DENIED: "scope",
  TOOMANYREQUESTS: "rate",
};

const OF_STATUSES: Readonly<Record<number, RefusalRule>> = {
  401: "credentials",
  403: "scope",
  404: "absent",
  405: "method",
  408: "timeout",
  409: "conflict",
  410: "absent",
  412: "conflict",
  413: "size",
  416: "validation",
  422: "conflict",
  423: "conflict",
  429: "rate",
  431: "size",
  500: "internal",
  501: "method",
};

/** The names of `decided_by` in answers that name another rule than the code of the problem does. */
const OF_DECISIONS: Readonly<Record<string, RefusalRule>> = {
  role: "role",
  policy: "policy",
  project: "other_project",
  address: "address",
  approval: "approval",
};

/** Returns the rule that refused a request. `named`: the facts of the refusal name it. */
export function ruleOf(
  { refusal, status }: Pick<RefusedRequest, "refusal" | "status">,
  named: string | undefined,
): RefusalRule {
  if (named !== undefined && Object.hasOwn(REFUSAL_RULES, named)) return named as RefusalRule;
  const decided = OF_DECISIONS[refusal?.options.decidedBy ?? ""];
  if (decided !== undefined) return decided;
  const code = refusal?.code ?? "";
  const known = (OF_PROBLEMS as Readonly<Record<string, RefusalRule>>)[code] ?? OF_PROTOCOLS[code];
  if (known !== undefined) return known;
  return OF_STATUSES[status] ?? (status >= 500 ? "unavailable" : "validation");
}

/** The act that ends a refusal without a permission check, and who can do it. */
const ACTS: Readonly<Partial<Record<RefusalRule, readonly [AllowingAct, readonly string[]]>>> = {
  organization_state: ["resume_organization", ["operator"]],
  project_state: ["change_project_state", ["owner", "admin", "developer"]],
  policy: ["allow_in_policy", ["owner"]],
  bucket_policy: ["change_bucket_policy", ["owner", "admin", "developer"]],
  acl: ["change_bucket_policy", ["owner", "admin", "developer"]],
  key_bounds: ["widen_bounds", ["owner", "admin", "developer"]],
  scope: ["grant_scope", ["owner", "admin", "developer"]],
  role: ["raise_role", ["owner", "operator"]],
  other_project: ["use_organization_credential", ["owner", "admin", "developer"]],
  address: ["add_address", ["owner", "admin"]],
  approval: ["approve", ["owner", "admin"]],
  expired: ["renew_credentials", ["caller"]],
  revoked: ["renew_credentials", ["caller"]],
  credentials: ["renew_credentials", ["caller"]],
  sign_in: ["sign_in", ["caller"]],
  origin: ["allow_origin", ["owner", "admin", "developer"]],
  rate: ["wait", ["caller"]],
  slots: ["wait", ["caller"]],
  unavailable: ["wait", ["caller"]],
  timeout: ["change_request", ["caller"]],
  quota: ["raise_quota", ["operator"]],
  limit: ["raise_limit", ["operator", "caller"]],
  size: ["change_request", ["caller"]],
  validation: ["change_request", ["caller"]],
  method: ["change_request", ["caller"]],
  conflict: ["change_request", ["caller"]],
};

/** Returns the acts that would have allowed a request, by its rule. */
export function actsOf(
  rule: RefusalRule,
  given: { readonly to: string | null; readonly value: string | null },
): readonly AllowingStep[] {
  const [act, by] = ACTS[rule] ?? [];
  return act === undefined || by === undefined ? [] : [{ act, ...given, by }];
}
