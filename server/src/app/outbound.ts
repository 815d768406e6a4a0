import type { Clock } from "#kernel/time.ts";
import { createOutbound, type Outbound } from "#stores/outbound/index.ts";
import type { Config } from "./config.ts";

/** How long one request may take, from the look-up of the name to the end of the answer. */
const TIMEOUT_MS = {
  /** Alerts and notifications of buckets. */
  messages: 5000,
  /** For webhooks. */
  events: 15_000,
  /** For each of the two documents; somebody's sign-in waits for them. */
  "issuer keys": 4000,
} as const;

/** Requests to addresses that users name: the same addresses are allowed for each purpose. */
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
