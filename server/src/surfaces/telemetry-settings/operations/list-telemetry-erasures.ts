import type { TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { listErasures } from "#domain/telemetry/index.ts";
import { requireOrganization, type Operation } from "#http/index.ts";
import type { TelemetrySettingsSurfaceDeps } from "../deps.ts";
import { erasureBody } from "../model.ts";

const LIMIT_DEFAULT = 50;

export function listTelemetryErasures(
  deps: TelemetrySettingsSurfaceDeps,
): Operation<typeof TELEMETRY_SETTINGS_ROUTES.listTelemetryErasures> {
  return async ({ query }, { principal }) => {
    requireOrganization(principal, "org:write");
    const wanted = { limit: query.limit ?? LIMIT_DEFAULT, cursor: query.cursor };
    const { items, nextCursor } = await listErasures(deps, principal.orgId, wanted);
    return { items: items.map(erasureBody), next_cursor: nextCursor };
  };
}
