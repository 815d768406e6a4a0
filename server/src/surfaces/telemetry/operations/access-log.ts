import { accessLogOf, updateAccessLog, type AccessLogSettings } from "#domain/telemetry/index.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import { Problem } from "#kernel/problem.ts";
import { etagOf } from "#kernel/versions.ts";
import type { TelemetrySettingsOperation, TelemetrySettingsSurfaceDeps } from "../deps.ts";

export const getAccessLogSettings: TelemetrySettingsOperation<"getAccessLogSettings"> = async (
  deps,
  _input,
  { principal, reply },
) => {
  requireOrganization(principal, "org:read");
  const own = await accessLogOf(deps, principal.orgId);
  void reply.header("etag", etagOf(own));
  return effective(deps, principal.orgId, own);
};

/** @throws Problem `forbidden`, `invalid_body` for more days than the server allows */
export const updateAccessLogSettings: TelemetrySettingsOperation<"updateAccessLogSettings"> = async (
  deps,
  { body },
  { principal, ip, requestId, request, reply },
) => {
  requireOrganization(principal, "org:write");
  const { retentionDaysMax: most } = deps;
  if (most !== null && (body.retention_days ?? 0) > most) {
    const errors = [{ pointer: "/retention_days", detail: `must be at most ${most}` }];
    throw new Problem("invalid_body", "This server keeps telemetry for fewer days.", { errors });
  }
  const options = { change: body, ifMatch: request.headers["if-match"] };
  const own = await updateAccessLog(deps, { principal, ip, requestId }, principal.orgId, options);
  void reply.header("etag", etagOf(own));
  return effective(deps, principal.orgId, own);
};

async function effective({ store }: TelemetrySettingsSurfaceDeps, orgId: string, own: AccessLogSettings) {
  await store.refresh();
  return { ...own, effective_retention_days: store.policy(orgId).retentionDays.access_log };
}
