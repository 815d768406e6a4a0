import type { ReactNode } from "react";
import { State, type StateKind } from "~/kit/state.tsx";
import { Time, useNow } from "~/kit/time.tsx";
import { nextAt, type Alert } from "./alert-draft.ts";

const STATES: Readonly<Record<Alert["state"], readonly [StateKind, string]>> = {
  ok: ["go", "ok"],
  pending: ["warn", "pending"],
  firing: ["stop", "firing"],
  error: ["warn", "can't be evaluated"],
  stopped: ["stop", "stopped"],
  paused: ["none", "paused"],
};

export function AlertState({ state }: { state: Alert["state"] }): ReactNode {
  const [kind, text] = STATES[state];
  return <State kind={kind}>{text}</State>;
}

/** The meaning of a state, in a sentence. */
export const STATE_SENTENCES: Readonly<Record<Alert["state"], string>> = {
  ok: "The condition is not met.",
  pending: "The condition is met, but not yet for enough evaluations in a row.",
  firing: "The condition is met, and a message was sent.",
  error: "It can't be evaluated. Three evaluations in a row failed, or a part of the telemetry can't be read.",
  stopped: "The last editor may no longer read the telemetry. Save the alert again to run it with your permissions.",
  paused: "It is not evaluated.",
};

/** The next evaluation of an alert. */
export function NextTime({ alert }: { alert: Alert }): ReactNode {
  const nowMs = useNow(5000).getTime();
  const at = nextAt(alert);
  if (at === null || Date.parse(at) <= nowMs)
    return <span className="text-ink-3">{alert.enabled ? "any moment" : "paused"}</span>;
  return <Time at={at} />;
}
