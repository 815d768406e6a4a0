import type { Scope } from "@mooring/contract";
import type { CredentialPrincipal, Withheld } from "#domain/identity/access/index.ts";
import type { CredentialState } from "./states.ts";

/**
 * Returns the principal of a credential. Every service makes it here, so that none forgets a limit.
 * @param token the scopes of its token, if it has fewer
 */
export function principalOfState(
  state: CredentialState,
  token: { readonly scopes: ReadonlySet<Scope>; readonly withheld: ReadonlyMap<Scope, Withheld> } = state,
): CredentialPrincipal {
  const { id, clientId, orgId, orgSlug, organization, projectId, projectState, limits } = state;
  const { scopes, withheld } = token;
  const place = { orgId, orgSlug, organization, projectId, projectState };
  return { kind: "credential", id, clientId, ...place, scopes, withheld, limits };
}
