import type { ALERT_ROUTES, ResultOf } from "@mooring/contract";
import {
  progressOf,
  settingsOf,
  stateOf,
  versionOf,
  type Alert,
  type AlertEventType,
  type AlertFault,
  type AlertState,
  type DeliveryRow,
  type EvaluationRow,
} from "#domain/alerts/index.ts";
import { shownUrl } from "#domain/delivery/index.ts";
import { holds, type Principal } from "#domain/identity/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import type { OperationContext } from "#http/index.ts";
import { etagOf } from "#kernel/versions.ts";
import { isoFromMs } from "#kernel/time.ts";

/** Converts records to the contract's form. */

type Rows = typeof ALERT_ROUTES;
export type AlertBody = ResultOf<Rows["getAlert"]>;
export type DeliveryBody = ResultOf<Rows["testAlert"]>;
export type EvaluationBody = ResultOf<Rows["listAlertEvaluations"]>["items"][number];

export function alertBody(alert: Alert, principal: Principal): AlertBody {
  const progress = progressOf(alert);
  return {
    id: alert.id,
    name: alert.name,
    description: alert.description,
    query_id: alert.query_id,
    project_id: alert.project_id,
    url: shownUrl(alert.url, holds(principal, "webhooks:write", resourceOf(alert))),
    ...settingsOf(alert),
    enabled: alert.enabled === 1,
    state: stateOf(progress, alert.enabled === 1),
    state_since: isoFromMs(progress.since_ms),
    incident_id: progress.condition === "firing" ? progress.incident_id : null,
    value: progress.value,
    error: progress.fault,
    evaluated_at: isoOrNull(progress.evaluated_ms),
    created_by: alert.created_by,
    created_at: isoFromMs(alert.created_at),
    updated_by: alert.updated_by,
    updated_at: isoFromMs(alert.updated_at),
  };
}

/** Returns the alert's body and sends its version, for `If-Match`. */
export function versioned(context: OperationContext, alert: Alert): AlertBody {
  void context.reply.header("etag", etagOf(versionOf(alert)));
  return alertBody(alert, context.principal);
}

export function deliveryBody(row: DeliveryRow): DeliveryBody {
  return {
    id: row.id,
    sequence: row.seq,
    type: row.type as AlertEventType,
    status: row.state,
    attempts: row.attempts,
    created_at: isoFromMs(row.created_at),
    last_attempt_at: isoOrNull(row.last_attempt_at),
    next_attempt_at: isoOrNull(row.next_attempt_at),
    response_status: row.last_status,
    error: row.last_error,
  };
}

export function evaluationBody(row: EvaluationRow): EvaluationBody {
  return {
    sequence: row.seq,
    at: isoFromMs(row.at),
    outcome: row.outcome,
    state: row.state as AlertState,
    value: JSON.parse(row.value) as number | null,
    error: row.error === null ? null : (JSON.parse(row.error) as AlertFault),
    elapsed_ms: row.elapsed_ms,
  };
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoFromMs(ms);
}
