import type { Surface } from "#http/index.ts";
export type { IngestRuleParts } from "./deps.ts";
import type { AlertsSurfaceDeps, TelemetrySettingsSurfaceDeps, TelemetrySurfaceDeps } from "./deps.ts";
import { createOtlpGrpcSurface } from "./routes-grpc.ts";
import { mountAlerts, mountTelemetry, mountTelemetrySettings } from "./routes.ts";

export { refuseOthers as refuseExceptOtlpGrpc } from "./grpc/services.ts";
export { createSkipped, type Skipped } from "./protocols/skipped.ts";
export { createTails, type Tails } from "./tail/tails.ts";
export { openDatagramListener, openStreamListener } from "./syslog/listeners.ts";
export { createSyslogServer, type SyslogListeners, type SyslogServer, type SyslogTransport } from "./syslog/server.ts";
export { createEncoderPool, type EncoderPool } from "./wire/pool.ts";

/** Ingestion and live tails. */
export function createTelemetrySurface(deps: TelemetrySurfaceDeps): Surface {
  return { name: "telemetry", mount: (app) => mountTelemetry(app, deps) };
}

/** Ingestion, live tails, and the protocols of other senders with a separate error format. */
export function createTelemetrySurfaces(deps: TelemetrySurfaceDeps): Surface[] {
  return [createTelemetrySurface(deps), createOtlpGrpcSurface(deps)];
}

/** Retention, usage and erasure of telemetry. */
export function createTelemetrySettingsSurface(deps: TelemetrySettingsSurfaceDeps): Surface {
  return { name: "telemetry", mount: (app) => mountTelemetrySettings(app, deps) };
}

/** Alerts on saved queries. Their requests are counted as a separate service. */
export function createAlertsSurface(deps: AlertsSurfaceDeps): Surface {
  return { name: "alerts", mount: (app) => mountAlerts(app, deps) };
}
