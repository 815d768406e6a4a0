import type { ReactNode } from "react";
import { State } from "~/kit/state.tsx";

/** Shows whether a person has a second factor. */
export function SecondFactor({ has }: { has: boolean }): ReactNode {
  return has ? <State kind="go">On</State> : <State kind="warn">None</State>;
}
