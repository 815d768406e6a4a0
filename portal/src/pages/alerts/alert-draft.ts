import type { ALERT_OPERATORS, ALERT_ROUTES, BodyOf, ResultOf } from "@mooring/contract";
import { stepText } from "../../kit/chart/model.ts";

export type Alert = ResultOf<typeof ALERT_ROUTES.getAlert>;
export type Operator = (typeof ALERT_OPERATORS)[number];
type NewBody = BodyOf<typeof ALERT_ROUTES.createAlert>;

/** The texts in the fields of the form. */
export interface Draft {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  /** Empty: the condition compares the number of rows. */
  readonly column: string;
  readonly operator: Operator;
  readonly threshold: string;
  readonly every: string;
  /** Empty: the same as `every`. */
  readonly window: string;
  readonly forEvaluations: string;
  readonly noData: Alert["no_data"];
  /** Empty: one message. */
  readonly renotify: string;
  readonly notifyResolved: boolean;
}

export const EMPTY_DRAFT: Draft = {
  name: "",
  description: "",
  url: "",
  column: "",
  operator: ">",
  threshold: "0",
  every: "1m",
  window: "5m",
  forEvaluations: "1",
  noData: "ok",
  renotify: "",
  notifyResolved: true,
};

export type Faults = Partial<Record<keyof Draft, string>>;

const ROWS_MAX = 9999;
const EVERY_S = { least: 10, most: 86_400 } as const;
const WINDOW_S = { least: 1, most: 2_678_400 } as const;
const RENOTIFY_S = { least: 60, most: 2_678_400 } as const;
const UNITS_S: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Parses `90`, `90s`, `5m`, `2h`, `1d` into seconds; NaN for other texts. */
export function secondsOf(text: string): number {
  const [, digits = "", unit = "s"] = /^(\d{1,8})\s*([smhd]?)$/.exec(text.trim()) ?? [];
  return digits === "" ? Number.NaN : Number(digits) * (UNITS_S[unit === "" ? "s" : unit] ?? Number.NaN);
}

/** Returns the shortest text for a number of seconds. */
export function secondsText(seconds: number): string {
  for (const [unit, each] of Object.entries(UNITS_S).toReversed())
    if (seconds >= each && seconds % each === 0) return `${seconds / each}${unit}`;
  return `${seconds}s`;
}

/** Returns the errors of a draft by field. The server validates again. */
export function faultsOf(draft: Draft): Faults {
  const threshold = draft.threshold.trim() === "" ? Number.NaN : Number(draft.threshold);
  const forEvaluations = Number(draft.forEvaluations);
  const entries: readonly (readonly [keyof Draft, string | false])[] = [
    ["name", draft.name.trim() === "" && "Enter a name."],
    ["url", !/^https?:\/\/./.test(draft.url) && "Enter an address that begins with https://."],
    ["threshold", thresholdFault(threshold, draft.column)],
    ["every", outside(draft.every, EVERY_S) && "From 10s to 1d, for example 30s, 5m or 1h."],
    ["window", draft.window !== "" && outside(draft.window, WINDOW_S) && "From 1s to 31d, or empty."],
    ["renotify", draft.renotify !== "" && outside(draft.renotify, RENOTIFY_S) && "From 1m to 31d, or empty."],
    [
      "forEvaluations",
      !(Number.isInteger(forEvaluations) && forEvaluations >= 1 && forEvaluations <= 1000) &&
        "A number from 1 to 1000.",
    ],
  ];
  return Object.fromEntries(entries.filter(([, fault]) => fault !== false));
}

function thresholdFault(threshold: number, column: string): string | false {
  if (!Number.isFinite(threshold)) return "A number.";
  return column.trim() === "" && threshold > ROWS_MAX && `At most ${ROWS_MAX} rows. For more, count them in the query.`;
}

function outside(text: string, { least, most }: { least: number; most: number }): boolean {
  const seconds = secondsOf(text);
  return !(seconds >= least && seconds <= most);
}

/** Returns the request body of a valid draft. */
export function bodyOf(draft: Draft): Omit<NewBody, "query_id"> {
  const column = draft.column.trim();
  return {
    name: draft.name.trim(),
    description: draft.description,
    url: draft.url.trim(),
    every_s: secondsOf(draft.every),
    window_s: draft.window.trim() === "" ? null : secondsOf(draft.window),
    condition: {
      ...(column === "" ? {} : { column }),
      operator: draft.operator,
      threshold: Number(draft.threshold),
    },
    for_evaluations: Number(draft.forEvaluations),
    no_data: draft.noData,
    renotify_s: draft.renotify.trim() === "" ? null : secondsOf(draft.renotify),
    notify_resolved: draft.notifyResolved,
  };
}

export function draftOf(alert: Alert): Draft {
  return {
    name: alert.name,
    description: alert.description,
    url: alert.url,
    column: alert.condition.column ?? "",
    operator: alert.condition.operator,
    threshold: String(alert.condition.threshold),
    every: secondsText(alert.every_s),
    window: alert.window_s === null ? "" : secondsText(alert.window_s),
    forEvaluations: String(alert.for_evaluations),
    noData: alert.no_data,
    renotify: alert.renotify_s === null ? "" : secondsText(alert.renotify_s),
    notifyResolved: alert.notify_resolved,
  };
}

/** `number of rows > 0`, `p95 >= 250`. */
export function conditionText({ column, operator, threshold }: Alert["condition"]): string {
  return `${column ?? "number of rows"} ${operator} ${threshold}`;
}

/** `every 1 min, over 5 min, 2 times in a row`. */
export function scheduleText({ every_s, window_s, for_evaluations }: Alert): string {
  const over = window_s === null || window_s === every_s ? "" : `, over ${stepText(window_s)}`;
  const times = for_evaluations === 1 ? "" : `, ${for_evaluations} times in a row`;
  return `every ${stepText(every_s)}${over}${times}`;
}

/** Returns the time of the next evaluation. Null: the alert is paused, or was never evaluated. */
export function nextAt({ enabled, evaluated_at, every_s }: Alert): string | null {
  if (!enabled || evaluated_at === null) return null;
  return new Date(Date.parse(evaluated_at) + every_s * 1000).toISOString();
}

/** Whether a value meets a condition. The server compares in the same way. */
export function holds(
  value: number,
  { operator, threshold }: Pick<Alert["condition"], "operator" | "threshold">,
): boolean {
  switch (operator) {
    case ">":
      return value > threshold;
    case ">=":
      return value >= threshold;
    case "<":
      return value < threshold;
    case "<=":
      return value <= threshold;
    case "==":
      return value === threshold;
    case "!=":
      return value !== threshold;
  }
}
