import type { RegistryError } from "#domain/registry/index.ts";
import type { Request } from "./exchange.ts";
import { TOKEN_PATH } from "./wire/target.ts";
import { RegistryRefusal } from "./refusal.ts";

export interface ChallengeDeps {
  /** Public host of the registry, with its port. */
  readonly domain: string;
  /** Whether the host was configured, and so is the only one; otherwise it is the host that the client used. */
  readonly domainIsSet: boolean;
  /** Whether clients reach this deployment by TLS, also when a proxy does not say so. */
  readonly isSecure: boolean;
}

const HOST = /^(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?$/;

/** Where tokens are had: at the host that the client speaks to. Clients refuse others, and addresses inside of networks. */
export function realmOf({ domain, domainIsSet, isSecure }: ChallengeDeps, request: Request): string {
  const given = request.host;
  const host = !domainIsSet && HOST.test(given) ? given : domain;
  return `${isSecure || request.protocol === "https" ? "https" : "http"}://${host}${TOKEN_PATH}`;
}

export interface Challenged {
  /** `repository:name:pull,push`; undefined where any token will do. */
  readonly scope: string | undefined;
  readonly error?: "insufficient_scope" | "invalid_token";
  readonly description?: string;
}

/** `WWW-Authenticate` of the token specification. Basic is taken and not offered: clients that are offered both send the secret each time. */
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

/** 401, which makes a client ask for a token. */
export function challenge(deps: ChallengeDeps, request: Request, challenged: Challenged): RegistryError {
  return new RegistryRefusal("UNAUTHORIZED", challenged.description ?? "authentication required", {
    headers: { "www-authenticate": challengeField(deps, request, challenged) },
  });
}

/** The characters that RFC 6750 allows in a quoted parameter. */
function quotable(text: string): string {
  return text.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, " ");
}
