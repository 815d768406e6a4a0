import type { FastifyInstance } from "fastify";
import { TELEMETRY_SETTINGS_ROUTES as rows } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import type { TelemetrySettingsSurfaceDeps } from "./deps.ts";
import { createTelemetryErasure } from "./operations/create-telemetry-erasure.ts";
import { getTelemetryErasure } from "./operations/get-telemetry-erasure.ts";
import { getTelemetrySettings } from "./operations/get-telemetry-settings.ts";
import { getTelemetryUsage } from "./operations/get-telemetry-usage.ts";
import { listTelemetryErasures } from "./operations/list-telemetry-erasures.ts";
import { updateTelemetrySettings } from "./operations/update-telemetry-settings.ts";

/** Row → operation. Method, path and permission of each stand in the contract's row. */
export function mountTelemetrySettings(app: FastifyInstance, deps: TelemetrySettingsSurfaceDeps): void {
  const { host } = deps;
  mountRoute(app, host, rows.getTelemetrySettings, getTelemetrySettings(deps));
  mountRoute(app, host, rows.updateTelemetrySettings, updateTelemetrySettings(deps));
  mountRoute(app, host, rows.getTelemetryUsage, getTelemetryUsage(deps));
  mountRoute(app, host, rows.createTelemetryErasure, createTelemetryErasure(deps));
  mountRoute(app, host, rows.listTelemetryErasures, listTelemetryErasures(deps));
  mountRoute(app, host, rows.getTelemetryErasure, getTelemetryErasure(deps));
}
