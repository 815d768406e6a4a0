import type { Clock } from "#kernel/time.ts";
import { createOutbound, parseProxy, type EgressProxy, type Outbound } from "#stores/outbound/index.ts";
import type { Config } from "./config.ts";

/** Time limit of one request, from the DNS query to the end of the response. */
const TIMEOUT_MS = {
  /** Alerts and bucket notifications. */
  messages: 5000,
  /** Webhook deliveries. */
  events: 15_000,
  /** For each of the two documents. A sign-in waits for them. */
  "issuer keys": 4000,
} as const;

export type OutboundConfig = Pick<
  Config,
  | "webhooks_private_addresses"
  | "webhooks_allowed_addresses"
  | "egress_proxy_url"
  | "egress_proxy_bypass"
  | "egress_proxied_names"
>;

/** Returns the proxy for connections to other machines; undefined: none. */
export function proxyOf(
  config: Pick<OutboundConfig, "egress_proxy_url" | "egress_proxy_bypass" | "egress_proxied_names">,
): EgressProxy | undefined {
  const { egress_proxy_url: url, egress_proxy_bypass: bypass, egress_proxied_names: names } = config;
  return url === null ? undefined : parseProxy({ url, bypass, trustsNames: names === "trust" });
}

/** Returns the client for requests to addresses that users choose. All purposes allow the same addresses. */
export function outboundFor(purpose: keyof typeof TIMEOUT_MS, config: OutboundConfig, clock: Clock): Outbound {
  return createOutbound({
    privateAddresses: config.webhooks_private_addresses === "allow",
    allowedAddresses: config.webhooks_allowed_addresses,
    proxy: proxyOf(config),
    clock,
    userAgent: "Mooring",
    timeoutMs: TIMEOUT_MS[purpose],
  });
}
