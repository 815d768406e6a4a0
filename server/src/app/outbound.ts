import type { Clock } from "#kernel/time.ts";
import { createOutbound, type Outbound } from "#stores/outbound/index.ts";
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

/** Returns the client for requests to addresses that users choose. All purposes allow the same addresses. */
export function outboundFor(
  purpose: keyof typeof TIMEOUT_MS,
  config: Pick<Config, "webhooks_private_addresses" | "webhooks_allowed_addresses">,
  clock: Clock,
): Outbound {
  return createOutbound({
    privateAddresses: config.webhooks_private_addresses === "allow",
    allowedAddresses: config.webhooks_allowed_addresses,
    clock,
    userAgent: "Mooring",
    timeoutMs: TIMEOUT_MS[purpose],
  });
}
