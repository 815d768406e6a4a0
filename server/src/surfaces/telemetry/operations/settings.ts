import type { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { retentionDaysOf, updateRetention, type RetentionDays } from "#domain/telemetry/index.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import type { Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import { etagOf } from "#kernel/versions.ts";
import type { TelemetrySettingsSurfaceDeps } from "../deps.ts";
import { settingsBody, usageBody } from "../model-settings.ts";

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

/** @throws Problem `forbidden`, `invalid_body` for more days than the server allows */
export function updateTelemetrySettings(
  deps: TelemetrySettingsSurfaceDeps,
): Operation<typeof TELEMETRY_SETTINGS_ROUTES.updateTelemetrySettings> {
  return async ({ body }, { principal, ip, requestId, request, reply }) => {
    requireOrganization(principal, "org:write");
    refuseBeyond(body.retention_days, deps.retentionDaysMax);
    const options = { change: body.retention_days, ifMatch: request.headers["if-match"] };
    const own = await updateRetention(deps, { principal, ip, requestId }, principal.orgId, options);
    void reply.header("etag", etagOf(own));
    await deps.store.refresh();
    return settingsBody(own, deps.store.policy(principal.orgId), deps.retentionDaysMax);
  };
}

function refuseBeyond(days: Partial<RetentionDays>, daysMax: number | null): void {
  const errors = Object.entries(days)
    .filter(([, value]) => value !== null && daysMax !== null && value > daysMax)
    .map(([type]) => ({ pointer: `/retention_days/${type}`, detail: `must be at most ${daysMax}` }));
  if (errors.length > 0) throw new Problem("invalid_body", "This server keeps telemetry for fewer days.", { errors });
}

export function getTelemetryUsage(
  deps: TelemetrySettingsSurfaceDeps,
): Operation<typeof TELEMETRY_SETTINGS_ROUTES.getTelemetryUsage> {
  return (_input, { principal }) => {
    requireOrganization(principal, "org:read");
    return usageBody(deps.store.usage(principal.orgId), deps.store.policy(principal.orgId));
  };
}
