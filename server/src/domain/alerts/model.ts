import type { ALERT_EVENTS, ALERT_OPERATORS, ALERT_STATES } from "@mooring/contract";

export type AlertState = (typeof ALERT_STATES)[number];
export type AlertEventType = (typeof ALERT_EVENTS)[number];
export type Operator = (typeof ALERT_OPERATORS)[number];

/** The condition. It compares a column of the first row, or the number of rows if no column is named. */
export interface Condition {
  readonly column?: string;
  readonly operator: Operator;
  readonly threshold: number;
}

/** The settings of an alert, stored as JSON in its row. */
export interface AlertSettings {
  readonly every_s: number;
  /** Null: the same as `every_s`. */
  readonly window_s: number | null;
  readonly condition: Condition;
  readonly for_evaluations: number;
  readonly no_data: "ok" | "firing" | "keep";
  readonly renotify_s: number | null;
  readonly notify_resolved: boolean;
}

export interface AlertFault {
  readonly code: string;
  readonly detail: string;
}

export type Outcome =
  | { readonly kind: "true" | "false"; readonly value: number }
  | { readonly kind: "no_data" }
  /** The query or its result can't be used. */
  | { readonly kind: "error"; readonly fault: AlertFault }
  /** Its authors lost the permission to read its rows. */
  | { readonly kind: "stopped"; readonly fault: AlertFault };

/** The progress of an alert. Evaluations write it as JSON to its row. */
export interface AlertProgress {
  readonly condition: "ok" | "pending" | "firing";
  /** The number of consecutive evaluations for which the condition held. */
  readonly hits: number;
  /** The number of consecutive failed evaluations. */
  readonly failures: number;
  /** Shown instead of the condition's state while that state is unknown. */
  readonly trouble: "error" | "stopped" | null;
  readonly since_ms: number;
  readonly incident_id: string | null;
  readonly fired_ms: number | null;
  /** The time of the last message that the alert fires. */
  readonly told_ms: number | null;
  readonly value: number | null;
  readonly fault: AlertFault | null;
  readonly evaluated_ms: number | null;
}

/** This failure makes the state unknown at once: an alert that can't be evaluated must not be shown as ok. */
export const CANNOT_EVALUATE = "telemetry_incomplete";
/** Consecutive failures before a message is sent. */
export const FAILURES_BEFORE_ERROR = 3;

export function freshProgress(nowMs: number): AlertProgress {
  return {
    condition: "ok",
    hits: 0,
    failures: 0,
    trouble: null,
    since_ms: nowMs,
    incident_id: null,
    fired_ms: null,
    told_ms: null,
    value: null,
    fault: null,
    evaluated_ms: null,
  };
}

export function stateOf(progress: AlertProgress, enabled: boolean): AlertState {
  return enabled ? (progress.trouble ?? progress.condition) : "paused";
}
