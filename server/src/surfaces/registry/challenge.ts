import type { RegistryError } from "#domain/registry/index.ts";
import type { RefusalFacts } from "#kernel/refusal.ts";
import type { Request } from "./exchange.ts";
import { TOKEN_PATH } from "./wire/target.ts";
import { RegistryRefusal } from "./refusal.ts";

export interface ChallengeDeps {
  /** The public host of the registry, with its port. */
  readonly domain: string;
  /** True: the host is configured, and no other is used. False: the answer names the host of the request. */
  readonly domainIsSet: boolean;
  /** Whether clients reach this deployment over TLS, even if a proxy does not report it. */
  readonly isSecure: boolean;
}

const HOST = /^(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?$/;

/**
 * Returns the address for tokens, at the host that the client uses. Clients refuse other hosts, and addresses in
 * private networks.
 */
export function realmOf({ domain, domainIsSet, isSecure }: ChallengeDeps, request: Request): string {
  const given = request.host;
  const host = !domainIsSet && HOST.test(given) ? given : domain;
  return `${isSecure || request.protocol === "https" ? "https" : "http"}://${host}${TOKEN_PATH}`;
}

export interface Challenged {
  /** For example `repository:name:pull,push`; undefined if any token is enough. */
  readonly scope: string | undefined;
  readonly error?: "insufficient_scope" | "invalid_token";
  readonly description?: string;
  /** What decided, for the record of refused requests. */
  readonly facts?: () => RefusalFacts;
}

/**
 * Returns `WWW-Authenticate` of the token specification. Basic is accepted but not offered: clients that are offered
 * both send the secret with each request.
 */
export function challengeField(deps: ChallengeDeps, request: Request, challenged: Challenged): string {
  const { scope, error, description } = challenged;
  const fields: [string, string | undefined][] = [
    ["realm", realmOf(deps, request)],
    ["service", deps.domain],
    ["scope", scope],
    ["error", error],
    ["error_description", description],
  ];
  const present = fields.filter(([, value]) => value !== undefined);
  return `Bearer ${present.map(([name, value]) => `${name}="${quotable(value ?? "")}"`).join(",")}`;
}

/** Returns a 401, which makes the client request a token. */
export function challenge(deps: ChallengeDeps, request: Request, challenged: Challenged): RegistryError {
  return new RegistryRefusal("UNAUTHORIZED", challenged.description ?? "authentication required", {
    ...(challenged.facts && { facts: challenged.facts }),
    headers: { "www-authenticate": challengeField(deps, request, challenged) },
  });
}

/** The characters that RFC 6750 allows in a quoted parameter. */
function quotable(text: string): string {
  return text.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, " ");
}
