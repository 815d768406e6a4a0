import {
  CANNOT_EVALUATE,
  FAILURES_BEFORE_ERROR,
  stateOf,
  type AlertEventType,
  type AlertProgress,
  type AlertSettings,
  type Outcome,
} from "./model.ts";

export interface Step {
  readonly progress: AlertProgress;
  /** The messages to send, in this order. */
  readonly events: readonly AlertEventType[];
}

interface Context {
  readonly settings: AlertSettings;
  readonly nowMs: number;
  /** Creates the id of a new incident. */
  readonly newIncident: () => string;
}

/** Computes the state after an evaluation, and the messages to send. */
export function advance(before: AlertProgress, outcome: Outcome, context: Context): Step {
  const { nowMs } = context;
  const { progress, events } = isTrouble(outcome) ? troubled(before, outcome) : judged(before, outcome, context);
  const changed = stateOf(progress, true) !== stateOf(before, true);
  return {
    progress: { ...progress, evaluated_ms: nowMs, since_ms: changed ? nowMs : before.since_ms },
    events,
  };
}

type Trouble = Extract<Outcome, { fault: unknown }>;
type Judgement = Exclude<Outcome, Trouble>;

function isTrouble(outcome: Outcome): outcome is Trouble {
  return outcome.kind === "error" || outcome.kind === "stopped";
}

/** A failure does not end an incident, because it is unknown whether the condition still holds. */
function troubled(before: AlertProgress, { kind, fault }: Trouble): Step {
  const failures = kind === "error" ? before.failures + 1 : before.failures;
  const isSure = kind === "stopped" || fault.code === CANNOT_EVALUATE || failures >= FAILURES_BEFORE_ERROR;
  const trouble = isSure ? kind : before.trouble;
  const progress = { ...before, failures, trouble, fault, value: null };
  return { progress, events: trouble === kind && before.trouble !== kind ? [`alert.${kind}`] : [] };
}

function judged(before: AlertProgress, outcome: Judgement, context: Context): Step {
  const value = "value" in outcome ? outcome.value : null;
  const well: AlertProgress = { ...before, failures: 0, trouble: null, fault: null, value };
  const recovered: AlertEventType[] = before.trouble === null ? [] : ["alert.recovered"];
  const holds = meaningOf(outcome, context.settings);
  const { progress, events } =
    holds === "keep" ? { progress: well, events: [] } : holds ? held(well, context) : notHeld(well, context.settings);
  return { progress, events: [...recovered, ...events] };
}

function meaningOf(outcome: Judgement, settings: AlertSettings): boolean | "keep" {
  if (outcome.kind !== "no_data") return outcome.kind === "true";
  return settings.no_data === "keep" ? "keep" : settings.no_data === "firing";
}

function held(before: AlertProgress, { settings, nowMs, newIncident }: Context): Step {
  const hits = before.hits + 1;
  if (before.condition === "firing") {
    const due = settings.renotify_s !== null && nowMs - (before.told_ms ?? nowMs) >= settings.renotify_s * 1000;
    return {
      progress: { ...before, hits, told_ms: due ? nowMs : before.told_ms },
      events: due ? ["alert.reminder"] : [],
    };
  }
  if (hits < settings.for_evaluations) return { progress: { ...before, hits, condition: "pending" }, events: [] };
  const incident = { incident_id: newIncident(), fired_ms: nowMs, told_ms: nowMs };
  return { progress: { ...before, hits, condition: "firing", ...incident }, events: ["alert.firing"] };
}

/** Keeps the id of the ended incident, so that the message about the end can name it. */
function notHeld(before: AlertProgress, settings: AlertSettings): Step {
  const told = before.condition === "firing" && settings.notify_resolved;
  const progress: AlertProgress = { ...before, hits: 0, condition: "ok", fired_ms: null, told_ms: null };
  return { progress, events: told ? ["alert.resolved"] : [] };
}
