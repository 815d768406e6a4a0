import type { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { requireOrganization, type Operation } from "#http/index.ts";
import type { TelemetrySettingsSurfaceDeps } from "../deps.ts";
import { usageBody } from "../model.ts";

export function getTelemetryUsage(
  deps: TelemetrySettingsSurfaceDeps,
): Operation<typeof TELEMETRY_SETTINGS_ROUTES.getTelemetryUsage> {
  return (_input, { principal }) => {
    requireOrganization(principal, "org:read");
    return usageBody(deps.store.usage(principal.orgId), deps.store.policy(principal.orgId));
  };
}
