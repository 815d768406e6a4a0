export { lackingOf, requireNothingLacking, type Lacking, type PeoplePolicy, type Standing } from "./standing.ts";
export { authorize, decide, heldScopes, projectArchived, reachOf, type Decision, type Reach } from "./authorize.ts";
export { FROZEN_SCOPES, ORG_ROLE_SCOPES, PROJECT_ROLE_SCOPES } from "./permissions.ts";
export type { Authenticator, CredentialPrincipal, PersonPrincipal, Principal, Resource } from "./principal.ts";
export { clauseOf, lacking, type Reason, type Verdict, type Withheld } from "./reason.ts";
export { absent, requireAllSeen, requireAnywhere, requireOrganization, requireSeen } from "./require.ts";
