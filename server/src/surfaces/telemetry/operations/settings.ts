import { telemetryChoiceOf, updateTelemetryChoice, type RetentionDays } from "#domain/telemetry/index.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import { etagOf } from "#kernel/versions.ts";
import type { TelemetrySettingsOperation } from "../deps.ts";
import { settingsBody, usageBody } from "../model-settings.ts";

export const getTelemetrySettings: TelemetrySettingsOperation<"getTelemetrySettings"> = async (
  deps,
  _input,
  { principal, reply },
) => {
  requireOrganization(principal, "org:read");
  const own = await telemetryChoiceOf(deps, principal.orgId);
  void reply.header("etag", etagOf(own));
  await deps.store.refresh();
  return settingsBody(own, deps.store.policy(principal.orgId), deps.retentionDaysMax);
};

/** @throws Problem `forbidden`, `invalid_body` for more days than the server allows */
export const updateTelemetrySettings: TelemetrySettingsOperation<"updateTelemetrySettings"> = async (
  deps,
  { body },
  { principal, ip, requestId, request, reply },
) => {
  requireOrganization(principal, "org:write");
  refuseBeyond(body.retention_days ?? {}, deps.retentionDaysMax);
  const change = { retentionDays: body.retention_days, timestamps: body.timestamps };
  const options = { change, ifMatch: request.headers["if-match"] };
  const own = await updateTelemetryChoice(deps, { principal, ip, requestId }, principal.orgId, options);
  void reply.header("etag", etagOf(own));
  await deps.store.refresh();
  return settingsBody(own, deps.store.policy(principal.orgId), deps.retentionDaysMax);
};

function refuseBeyond(days: Partial<RetentionDays>, daysMax: number | null): void {
  const errors = Object.entries(days)
    .filter(([, value]) => value !== null && daysMax !== null && value > daysMax)
    .map(([type]) => ({ pointer: `/retention_days/${type}`, detail: `must be at most ${daysMax}` }));
  if (errors.length > 0) throw new Problem("invalid_body", "This server keeps telemetry for fewer days.", { errors });
}

export const getTelemetryUsage: TelemetrySettingsOperation<"getTelemetryUsage"> = (deps, _input, { principal }) => {
  requireOrganization(principal, "org:read");
  return usageBody(deps.store.usage(principal.orgId), deps.store.policy(principal.orgId));
};
