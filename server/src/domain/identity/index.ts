export {
  authorize,
  FROZEN_SCOPES,
  ORG_ROLE_SCOPES,
  projectArchived,
  PROJECT_ROLE_SCOPES,
  reachOf,
  type Authenticator,
  type CredentialPrincipal,
  type Decision,
  type PersonPrincipal,
  type Principal,
  type Reach,
  type Resource,
} from "./access/index.ts";
export { Activity, type CountedRequest, type CredentialActivity } from "./activity/index.ts";
export { appendAuthChange, type AuthChange } from "./changes/index.ts";
export {
  absent,
  auditActorOf,
  countCredentials,
  CREATED_BY_SYSTEM,
  creatorOf,
  credentialsCreatedBy,
  earliest,
  isLive,
  parsePolicy,
  parseScopes,
  readState,
  renderScopes,
  requireHeld,
  requirePermission,
  requirePolicy,
  revokeCredentialsOfProject,
  transferCredentials,
  Trusts,
  withinPolicy,
  type Acting,
  type Credential,
  type CredentialChange,
  type CredentialListing,
  type Credentials,
  type CredentialSecret,
  type CredentialState,
  type NewCredential,
  type Propagation,
  type SignInRequest,
  type SystemActor,
  type NewTrust,
  type TrustView,
} from "./credentials/index.ts";
export { FailureLimit } from "./credentials/index.ts";
export { ASSERTION_CHARS_MAX, type Check } from "./federation/index.ts";
export { createIdentity, type Identity, type IdentityOptions } from "./identity.ts";
export type { Envelope, SealedPlace, SigningKeyInfo } from "./keys/index.ts";
export { ScopeRefusal, type AccessTokenClaims, type IssuedToken, type VerifiedToken } from "./tokens/index.ts";
