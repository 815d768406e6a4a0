import type { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { retentionDaysOf } from "#domain/telemetry/index.ts";
import { requireOrganization, type Operation } from "#http/index.ts";
import { etagOf } from "#kernel/versions.ts";
import type { TelemetrySettingsSurfaceDeps } from "../deps.ts";
import { settingsBody } from "../model.ts";

export function getTelemetrySettings(
  deps: TelemetrySettingsSurfaceDeps,
): Operation<typeof TELEMETRY_SETTINGS_ROUTES.getTelemetrySettings> {
  return async (_input, { principal, reply }) => {
    requireOrganization(principal, "org:read");
    const own = await retentionDaysOf(deps, principal.orgId);
    void reply.header("etag", etagOf(own));
    await deps.store.refresh();
    return settingsBody(own, deps.store.policy(principal.orgId), deps.retentionDaysMax);
  };
}
