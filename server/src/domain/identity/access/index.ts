export { lackingOf, requireNothingLacking, type Lacking, type PeoplePolicy, type Standing } from "./standing.ts";
export type { Item, Reach, Resource } from "#domain/projects/index.ts";
export {
  authorize,
  decide,
  forHarmless,
  heldScopes,
  holds,
  mayRevokeIn,
  oversees,
  reachOf,
  scopesOf,
  scopesThere,
  within,
  type Decision,
} from "./authorize.ts";
export { explain } from "./explain.ts";
export { hasAny, intersection, isWithin, type Limits } from "./limits.ts";
export {
  ORG_ROLE_SCOPES,
  PROJECT_ROLE_SCOPES,
  nameOfRole,
  scopesOfProjectRole,
  scopesOfRole,
  type RoleOf,
  rightsOfGrants,
  rightsOfRole,
  type ProjectGrant,
} from "./permissions.ts";
export type {
  Authenticator,
  CredentialPrincipal,
  PersonPrincipal,
  Principal,
  ProjectRights,
  Via,
} from "./principal.ts";
export { clauseOf, clausesOf, lacking, type Reason, type Verdict, type Withheld } from "./reason.ts";
export {
  absent,
  explained,
  requireAllSeen,
  requireAnywhere,
  requireOrganization,
  requireSeen,
  requireUnlimited,
} from "./require.ts";
export { customRole, customRoleOf, type CustomRoleColumns } from "./store.ts";
