import { SERVICE_PREFIXES, type DISCOVERY_ROUTES, type ResultOf } from "@mooring/contract";
import { UnreachableError } from "./errors.ts";

type Published = ResultOf<typeof DISCOVERY_ROUTES.getAddresses>;

/** The addresses of protocols with a separate port, which older servers do not publish. */
type OfPorts = "otlp_grpc_url" | `syslog_${"tcp" | "tls" | "udp"}_address`;

/** The address of each service of a deployment. */
export type Addresses = Readonly<Omit<Published, OfPorts> & Partial<Pick<Published, OfPorts>>>;

const DISCOVERY_TIMEOUT_MS = 10_000;

/**
 * Returns the addresses that the server publishes. If it publishes none, the URL itself is used for all services.
 * @throws UnreachableError
 */
export async function discover(url: string): Promise<Addresses> {
  let response: Response;
  try {
    response = await fetch(`${url}/.well-known/mooring`, {
      redirect: "error",
      signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS),
    });
  } catch (error) {
    throw new UnreachableError("ask the server for its addresses", url, error);
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok && typeof body === "object" && body !== null && "identity_url" in body) return body as Addresses;
  return {
    identity_url: url,
    ingest_url: url,
    query_url: url,
    storage_url: url,
    registry_domain: new URL(url).host,
    s3_endpoint: url,
    webhooks_url: url,
    portal_url: url,
  };
}

/** Returns the address of the service that a path belongs to, without a slash at its end. */
export function originOf(addresses: Addresses, path: string): string {
  const [, service = "portal_url"] = SERVICE_PREFIXES.find(([prefix]) => path.startsWith(prefix)) ?? [];
  return addresses[service];
}
