import type { ALERT_EVENTS, ALERT_OPERATORS, ALERT_STATES } from "@mooring/contract";

export type AlertState = (typeof ALERT_STATES)[number];
export type AlertEventType = (typeof ALERT_EVENTS)[number];
export type Operator = (typeof ALERT_OPERATORS)[number];

/** The condition: compares a column of the first row, or without one the number of rows. */
export interface Condition {
  readonly column?: string;
  readonly operator: Operator;
  readonly threshold: number;
}

/** How an alert watches; JSON in its row. */
export interface AlertSettings {
  readonly every_s: number;
  /** Null: as long as `every_s`. */
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

/** The result of an evaluation. */
export type Outcome =
  | { readonly kind: "true" | "false"; readonly value: number }
  | { readonly kind: "no_data" }
  /** The query, or its result, can't be used. */
  | { readonly kind: "error"; readonly fault: AlertFault }
  /** Its authors may not read its rows any more. */
  | { readonly kind: "stopped"; readonly fault: AlertFault };

/** Where an alert is; JSON in its row, written by evaluations. */
export interface AlertProgress {
  readonly condition: "ok" | "pending" | "firing";
  /** Evaluations in a row for which the condition holds. */
  readonly hits: number;
  /** Evaluations in a row that failed. */
  readonly failures: number;
  /** Shown instead of the condition's state while it can't be known. */
  readonly trouble: "error" | "stopped" | null;
  readonly since_ms: number;
  readonly incident_id: string | null;
  readonly fired_ms: number | null;
  /** When the last message that it fires was sent. */
  readonly told_ms: number | null;
  readonly value: number | null;
  readonly fault: AlertFault | null;
  readonly evaluated_ms: number | null;
}

/** This failure makes the state unknown at once: an alert that can't be evaluated must not be shown as ok. */
export const CANNOT_EVALUATE = "telemetry_incomplete";
/** Failures in a row before a message is sent. */
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
