export {
  auditActorOf,
  creatorOf,
  requireHeld,
  requirePermission,
  withinPolicy,
  type Acting,
  type SystemActor,
} from "./acting.ts";
export {
  parseAddresses,
  addressTest,
  requireAddresses,
  renderAddresses,
  type Addresses,
  type AddressTest,
} from "./addresses.ts";
export { APPROVER_SCOPE, endOf, pendingOf } from "./approval.ts";
export { CREATED_BY_SYSTEM, earliest, parsePolicy, parseScopes, renderScopes, type Policy } from "./bounds.ts";
export { countCredentials } from "./count.ts";
export { Credentials } from "./credentials.ts";
export { createGate, requireUsable, type Gate, type Origin } from "./gate.ts";
export type { CredentialChange, CredentialListing, NewCredential } from "./input.ts";
export {
  revokeCredentialsOfProject,
  announcePersonalTokens,
  revokePersonalTokens,
  transferCredentials,
} from "./hand-over.ts";
export { credentialsCreatedBy } from "./store.ts";
export { RefusalLog } from "./refusals.ts";
export { endingOf, isLive, SignIn, type SignInRequest } from "./sign-in.ts";
export { CredentialStates, readState, type CredentialState } from "./states.ts";
export { Trusts, type NewTrust, type TrustListing, type TrustView } from "./trusts.ts";
export { UsageLog } from "./usage.ts";
export type { Credential, CredentialSecret, Made, Propagation } from "./view.ts";
export { actorSpanOf } from "./span.ts";
export { isWiderRange, lackingToWiden, requireMayWiden, UNBOUNDED, type Span } from "./widening.ts";
export { FailureDelay, failurePlaceOf } from "./failure-delay.ts";
