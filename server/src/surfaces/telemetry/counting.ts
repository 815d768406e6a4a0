import type { Scope } from "@mooring/contract";
import { requireOrganization } from "#domain/identity/index.ts";
import { visibleProjects } from "#domain/organizations/index.ts";
import { queryActorOf } from "#domain/queries/index.ts";
import type { Counting } from "#domain/telemetry/index.ts";
import type { ErasedTable, VisibleRows } from "#stores/telemetry/index.ts";
import type { TelemetrySettingsOperation, TelemetrySettingsSurfaceDeps } from "./deps.ts";

export type CountingContext = Pick<
  Parameters<TelemetrySettingsOperation<"createTelemetryErasure">>[2],
  "principal" | "requestId" | "signal"
>;

/** The scope that counting rows of a table needs. Other tables need `telemetry:read`. */
const SCOPES: Readonly<Partial<Record<ErasedTable, Scope>>> = {
  access_log: "audit:read",
  query_log: "queries:manage",
  webhook_events: "webhooks:read",
};

/** Returns who counts rows, and requires the permission to read them. */
export function countingOf(deps: TelemetrySettingsSurfaceDeps, context: CountingContext) {
  const { principal, requestId, signal } = context;
  const visible = (type: ErasedTable): Promise<VisibleRows> => {
    const scope = SCOPES[type] ?? "telemetry:read";
    requireOrganization(principal, scope);
    return visibleProjects(deps.metadata, principal, scope);
  };
  return { orgId: principal.orgId, actor: queryActorOf(principal), requestId, signal, visible } satisfies Counting;
}
