import type { ProviderSettings } from "#domain/people/index.ts";
import { fetchThrough } from "#stores/outbound/index.ts";
import type { Config } from "./config.ts";
import { proxyOf } from "./outbound.ts";

/** Returns the OpenID Connect provider that people may sign in with; null when none is configured. */
export function providerOf(config: Config): ProviderSettings | null {
  const { oidc_issuer: issuer, oidc_client_id: clientId, oidc_client_secret: clientSecret, oidc_name: name } = config;
  const { oidc_scope: scope, oidc_groups_claim: groupsClaim } = config;
  if (issuer === null || clientId === null) return null;
  const proxy = proxyOf(config);
  const isDirect = proxy?.bypasses(new URL(issuer).hostname, []) ?? true;
  const through = proxy === undefined || isDirect ? {} : { fetch: fetchThrough(proxy) };
  return { issuer, clientId, clientSecret, name, scope, groupsClaim, ...through };
}
