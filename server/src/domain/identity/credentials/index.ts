export {
  absent,
  auditActorOf,
  creatorOf,
  requireHeld,
  requirePermission,
  requirePolicy,
  withinPolicy,
  type Acting,
  type SystemActor,
} from "./acting.ts";
export { CREATED_BY_SYSTEM, earliest, parsePolicy, parseScopes, renderScopes, type Policy } from "./bounds.ts";
export { countCredentials } from "./count.ts";
export {
  Credentials,
  type CredentialChange,
  type CredentialListing,
  type NewCredential,
  type Propagation,
} from "./credentials.ts";
export { revokeCredentialsOfProject, transferCredentials } from "./hand-over.ts";
export { credentialsCreatedBy } from "./store.ts";
export { RefusalLog } from "./refusals.ts";
export { isLive, SignIn, type SignInRequest } from "./sign-in.ts";
export { CredentialStates, readState, type CredentialState } from "./states.ts";
export { Trusts, type NewTrust, type TrustListing, type TrustView } from "./trusts.ts";
export { UsageLog } from "./usage.ts";
export type { Credential, CredentialSecret } from "./view.ts";
export { FailureLimit } from "./failure-limit.ts";
