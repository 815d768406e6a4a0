import { deliveryHandler, evaluationHandler, type AlertsDeps } from "#domain/alerts/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { createOutbound } from "#stores/outbound/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import type { Config } from "./config.ts";

export interface Alerts {
  /** What the surface needs. */
  readonly deps: AlertsDeps;
  /** Begins to evaluate and to deliver. */
  start(): void;
}

const USER_AGENT = "Mooring";

export function createAlerts(options: {
  readonly config: Pick<Config, "webhooks_private_addresses" | "webhooks_allowed_addresses">;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly metadata: MetadataStore;
  readonly telemetry: TelemetryStore;
  readonly identity: Pick<Identity, "envelope">;
}): Alerts {
  const { config, clock, jobs, metadata, telemetry } = options;
  const { envelope } = options.identity;
  const privateAddresses = config.webhooks_private_addresses === "allow";
  const outbound = createOutbound({
    privateAddresses,
    allowedAddresses: config.webhooks_allowed_addresses,
    clock,
    userAgent: USER_AGENT,
  });
  const shared = { metadata, clock, jobs };
  const handlers = [
    evaluationHandler({ ...shared, telemetry }),
    deliveryHandler({ ...shared, envelope, outbound, random: Math.random }),
  ];
  return {
    deps: { ...shared, outbound, envelope },
    start: () => jobs.start(handlers),
  };
}
