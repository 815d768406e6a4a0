import type { ProviderSettings } from "#domain/people/index.ts";
import type { Config } from "./config.ts";

/** Returns the OpenID Connect provider that people may sign in with; null when none is configured. */
export function providerOf(config: Config): ProviderSettings | null {
  const { oidc_issuer: issuer, oidc_client_id: clientId, oidc_client_secret: clientSecret, oidc_name: name } = config;
  const { oidc_scope: scope, oidc_groups_claim: groupsClaim } = config;
  return issuer === null || clientId === null ? null : { issuer, clientId, clientSecret, name, scope, groupsClaim };
}
