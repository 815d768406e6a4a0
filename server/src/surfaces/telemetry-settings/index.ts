import type { Surface } from "#http/index.ts";
import { mountTelemetrySettings } from "./routes.ts";
import type { TelemetrySettingsSurfaceDeps } from "./deps.ts";

export function createTelemetrySettingsSurface(deps: TelemetrySettingsSurfaceDeps): Surface {
  return { name: "telemetry-settings", mount: (app) => mountTelemetrySettings(app, deps) };
}
