import type { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { getErasure } from "#domain/telemetry/index.ts";
import { requireOrganization, type Operation } from "#http/index.ts";
import type { TelemetrySettingsSurfaceDeps } from "../deps.ts";
import { erasureBody } from "../model.ts";

export function getTelemetryErasure(
  deps: TelemetrySettingsSurfaceDeps,
): Operation<typeof TELEMETRY_SETTINGS_ROUTES.getTelemetryErasure> {
  return async ({ params }, { principal }) => {
    requireOrganization(principal, "org:write");
    return erasureBody(await getErasure(deps, principal.orgId, params.erasure_id));
  };
}
