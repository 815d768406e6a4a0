/** Why the server refuses requests, and what would allow them: one list for answers, metrics and documentation. */

/** The rules that refuse requests, with their meaning. `reason` of `mooring_http_refused_total` has these names. */
export const REFUSAL_RULES = {
  scope: "The credential or its token was not given the permission.",
  role: "The role of the person, or of the person responsible for the credential, does not have the permission.",
  private_project: "The project is private, and the caller is not in it.",
  other_project: "The credential reaches one project only, and this is outside of it.",
  project_state: "The state of the project forbids it, for example because it is archived.",
  organization_state: "The operator has suspended the organization.",
  policy: "The policy of the organization does not allow it.",
  bucket_policy: "The policy of the bucket denies it, or allows it to others only.",
  acl: "No access control list opens the bucket or the object to the caller.",
  key_bounds: "The credential or key is limited to certain resources, and this is not one of them.",
  address: "The caller's address is not an allowed address of the credential or the organization.",
  approval: "The credential waits for an approval.",
  expired: "The token, the credential or the signed address has expired.",
  revoked: "The token or the credential was revoked, or its permissions were changed after the token was issued.",
  sign_in: "The person must sign in again, with a second factor, or by single sign-on.",
  credentials: "The request has no credentials, or they are wrong.",
  origin: "A page of another site sent the request, or the origin of the page is not allowed.",
  rate: "Too many requests in a short time.",
  quota: "A quota of stored or sent bytes is used up.",
  limit: "A limit on the number of objects is reached.",
  slots: "Too many requests of this kind run at the same time.",
  size: "The request, its header or its content is too large.",
  validation: "The request is not valid.",
  method: "The address does not accept the method.",
  absent: "The resource does not exist, or the caller may not see it.",
  conflict: "The request conflicts with the current state, or a precondition is not met.",
  timeout: "The request took too long to arrive.",
  unavailable: "The server can't answer now.",
  internal: "A fault of the server.",
} as const;

export type RefusalRule = keyof typeof REFUSAL_RULES;

export const REFUSAL_RULE_NAMES = Object.keys(REFUSAL_RULES) as RefusalRule[];

/** What would allow a refused request, with the sentence for people. */
export const ALLOWING_ACTS = {
  grant_scope: "Give the credential or the token this permission.",
  request_token: "Ask for a token with this permission: the credential has it.",
  raise_role: "Give the person a role that has the permission.",
  add_project_role: "Give the person a role in the project.",
  adopt_credential: "Let a person whose role has the permission become responsible for the credential.",
  allow_in_policy: "Allow the permission in the policy of the organization.",
  approve: "Approve the credential.",
  widen_bounds: "Add the resource to the limits of the credential.",
  use_project_credential: "Use a credential of the project.",
  use_organization_credential: "Use a credential of the whole organization.",
  change_project_state: "Make the project active again.",
  restore_project: "Restore the project from the trash.",
  resume_organization: "End the suspension of the organization.",
  change_bucket_policy: "Change the policy or the access control list of the bucket.",
  add_address: "Add the address to the allowed addresses.",
  renew_credentials: "Use new credentials: a token that is not expired, or a credential that is not revoked.",
  sign_in: "Sign in in the way that the organization requires.",
  allow_origin: "Add the origin of the page to the allowed origins.",
  raise_quota: "Raise the quota, or delete data.",
  raise_limit: "Delete objects of this kind, or let the operator raise the limit.",
  wait: "Wait, and send the request again.",
  change_request: "Change the request.",
} as const;

export type AllowingAct = keyof typeof ALLOWING_ACTS;

/** Days for which refused requests are kept, unless they take more bytes than `REFUSALS_KEPT_BYTES` together. */
export const REFUSALS_KEPT_DAYS = 7;
export const REFUSALS_KEPT_BYTES = 256 * 1024 * 1024;
