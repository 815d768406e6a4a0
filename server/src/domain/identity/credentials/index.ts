export { auditActorOf, requireHeld, type ActorContext, type SystemActor } from "./actor.ts";
export {
  addressTest,
  parseAddresses,
  requireAddresses,
  renderAddresses,
  type Addresses,
  type AddressTest,
} from "./addresses.ts";
export { parsePolicy, renderScopes, type Policy } from "./bounds.ts";
export { createCredentials, type Credentials, type Made } from "./credentials.ts";
export { createGate, requireUsable, type Gate, type Origin } from "./gate.ts";
export { hashRenewal } from "./hash-renewal.ts";
export {
  createIngestKeys,
  type IngestKeyChange,
  type IngestKeys,
  type MadeIngestKey,
  type NewIngestKey,
} from "./ingest-keys.ts";
export { KeyOrigins } from "./key-origins.ts";
export { SenderProjects, type NamedProjects } from "./sender-projects.ts";
export { isIngestKey, Senders, type SenderRequest } from "./senders.ts";
export type { CredentialChange, CredentialListing, NewCredential } from "./input.ts";
export {
  announcePersonalTokens,
  personalTokensOf,
  revokeCredentialsOfProject,
  revokePersonalTokens,
  endPersonalTokens,
  heirOf,
  passOn,
  revokeRows,
  type PersonalToken,
} from "./hand-over.ts";
export type { Managed, Propagation } from "./manage.ts";
export { principalOfState } from "./principal.ts";
export { namedLimits, type NamedResources } from "./resources.ts";
export { RefusalLog } from "./refusals.ts";
export { SignIn, type SignInRequest } from "./sign-in.ts";
export {
  createS3Keys,
  isAccessKeyId,
  openS3Secret,
  readS3Key,
  type MadeS3Key,
  type NewS3Key,
  type S3Keys,
} from "./s3-keys.ts";
export { endingOf, isLive } from "./state.ts";
export { CredentialStates, readState, type CredentialState } from "./states.ts";
export { readOrigin, type Originator } from "./parents.ts";
export {
  auditLosses,
  endTokensOfGains,
  lossesOf,
  planOf,
  rehearsePlan,
  requirePlan,
  watch,
  type Loss,
  type Plan,
  type Watched,
} from "./effects.ts";
export { credentialNames, namesOfCredentials, type Named } from "./names.ts";
export { lastResponsibleSince, placeOfCredential } from "./store.ts";
export { Trusts, type NewTrust, type TrustListing, type TrustView } from "./trusts.ts";
export { UsageLog } from "./usage.ts";
export type { AnyView, Credential, CredentialSecret, S3Key } from "./view.ts";
export { isWiderRange, lackingToWiden, type Span } from "./widening.ts";
export { FailureDelay, failurePlaceOf } from "./failure-delay.ts";
