export { renderScopes } from "./bounds.ts";
export { RefusalLog } from "./refusals.ts";
export { isLive, SignIn, type SignInRequest } from "./sign-in.ts";
export { CredentialStates, type CredentialState } from "./states.ts";
export { UsageLog } from "./usage.ts";
