export { authorize, heldScopes, reachOf, type Decision, type Reach } from "./authorize.ts";
export { ORG_ROLE_SCOPES, PROJECT_ROLE_SCOPES } from "./permissions.ts";
export type { Authenticator, CredentialPrincipal, PersonPrincipal, Principal, Resource } from "./principal.ts";
