import { evaluationHandler, type AlertsDeps } from "#domain/alerts/index.ts";
import { messageHandler } from "#domain/delivery/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import { outboundFor, type OutboundConfig } from "./outbound.ts";

export interface Alerts {
  readonly deps: AlertsDeps;
  /** Starts evaluations and deliveries. */
  start(): void;
}

export function createAlerts(options: {
  readonly config: OutboundConfig;
  readonly clock: Clock;
  readonly jobs: Jobs;
  readonly metadata: MetadataStore;
  readonly telemetry: TelemetryStore;
  readonly identity: Pick<Identity, "envelope">;
}): Alerts {
  const { config, clock, jobs, metadata, telemetry } = options;
  const { envelope } = options.identity;
  const outbound = outboundFor("messages", config, clock);
  const shared = { metadata, clock, jobs };
  const handlers = [
    evaluationHandler({ ...shared, telemetry }),
    messageHandler({ ...shared, envelope, outbound, random: Math.random }, "alert"),
  ];
  return {
    deps: { ...shared, outbound, envelope },
    start: () => jobs.start(handlers),
  };
}
