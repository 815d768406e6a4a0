import type { ProviderSettings } from "#domain/people/index.ts";
import type { Config } from "./config.ts";

/** The OpenID Connect provider at which people may sign in; null where none is set. */
export function providerOf(config: Config): ProviderSettings | null {
  const { oidc_issuer: issuer, oidc_client_id: clientId, oidc_client_secret: clientSecret, oidc_name: name } = config;
  return issuer === null || clientId === null ? null : { issuer, clientId, clientSecret, name };
}
