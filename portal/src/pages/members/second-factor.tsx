import type { ReactNode } from "react";
import { State } from "~/kit/state.tsx";

/** Whether a password alone is not enough to come in as somebody. */
export function SecondFactor({ has }: { has: boolean }): ReactNode {
  return has ? <State kind="go">On</State> : <State kind="warn">None</State>;
}
