import type { ReactNode } from "react";
import { State } from "~/kit/state.tsx";
import { SCHEME_NAMES, type Scheme } from "../setup/presets.ts";

/** Shows whether an event was verified, and the scheme. */
export function Verified({ as }: { as: Scheme }): ReactNode {
  return as === "none" ? <State kind="none">not checked</State> : <State kind="go">{SCHEME_NAMES[as]}</State>;
}
