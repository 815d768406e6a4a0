import { checkedUrl } from "#domain/delivery/index.ts";
import { Problem, type ProblemPlace } from "#kernel/problem.ts";
import type { Outbound } from "#stores/outbound/index.ts";
import { ROWS_MAX } from "./evaluate.ts";
import type { AlertSettings, Condition } from "./model.ts";

/** The settings of a new alert. */
export interface AlertInput {
  readonly name: string;
  readonly description?: string;
  readonly url: string;
  readonly enabled?: boolean;
  readonly every_s: number;
  readonly window_s?: number | null;
  readonly condition: Condition;
  readonly for_evaluations?: number;
  readonly no_data?: AlertSettings["no_data"];
  readonly renotify_s?: number | null;
  readonly notify_resolved?: boolean;
}

export type AlertChange = Partial<AlertInput>;

const DEFAULTS = {
  window_s: null,
  for_evaluations: 1,
  no_data: "ok",
  renotify_s: null,
  notify_resolved: true,
} as const;

export function settingsFrom(input: AlertInput): AlertSettings {
  return settingsWith({ ...DEFAULTS, every_s: input.every_s, condition: input.condition }, input);
}

export function settingsWith(before: AlertSettings, change: AlertChange): AlertSettings {
  const {
    every_s = before.every_s,
    window_s = before.window_s,
    condition = before.condition,
    for_evaluations = before.for_evaluations,
    no_data = before.no_data,
    renotify_s = before.renotify_s,
    notify_resolved = before.notify_resolved,
  } = change;
  return { every_s, window_s, condition, for_evaluations, no_data, renotify_s, notify_resolved };
}

/**
 * Returns the change with its destination in the stored form.
 * @throws Problem `invalid_body` for a refused destination, or a threshold above the most rows that are counted
 */
export function usable<T extends AlertChange>(outbound: Outbound, change: T): T {
  const errors: ProblemPlace[] = [];
  const url = change.url === undefined ? undefined : checkedUrl(outbound, change.url, errors);
  const { condition } = change;
  if (condition !== undefined && condition.column === undefined && !isCount(condition.threshold))
    errors.push({ pointer: "/condition/threshold", detail: `must be a whole number from 0 to ${ROWS_MAX - 1}` });
  if (errors.length > 0) throw new Problem("invalid_body", "The alert can't work with these settings.", { errors });
  return url === undefined ? change : { ...change, url };
}

function isCount(threshold: number): boolean {
  return Number.isInteger(threshold) && threshold >= 0 && threshold < ROWS_MAX;
}
