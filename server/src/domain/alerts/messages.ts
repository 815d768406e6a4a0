import { isoFromMs } from "#kernel/time.ts";
import type { Window } from "./evaluate.ts";
import { stateOf, type AlertEventType, type AlertProgress, type AlertSettings } from "./model.ts";
import type { Alert } from "./store.ts";

/** Returns the message with `type`, `timestamp` and `data`, as Standard Webhooks recommends. */
export function messageOf(
  alert: Alert,
  type: AlertEventType,
  context: {
    readonly settings: AlertSettings;
    readonly progress: AlertProgress;
    readonly sequence: number;
    readonly atMs: number;
    readonly window: Window | null;
  },
): string {
  const { settings, progress, sequence, atMs, window } = context;
  const { id, name, description, query_id, project_id } = alert;
  const incident = progress.condition === "firing" || type === "alert.resolved" ? progress.incident_id : null;
  return JSON.stringify({
    type,
    timestamp: isoFromMs(atMs),
    data: {
      sequence,
      alert: { id, name, description, query_id, project_id },
      organization_id: alert.org_id,
      state: stateOf(progress, alert.enabled === 1),
      incident_id: incident,
      fired_at: progress.fired_ms === null ? null : isoFromMs(progress.fired_ms),
      condition: settings.condition,
      value: progress.value,
      window: window === null ? null : { from: isoFromMs(window.fromMs), to: isoFromMs(window.toMs) },
      error: progress.fault,
    },
  });
}
