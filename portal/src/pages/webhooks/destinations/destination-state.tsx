import type { ResultOf, WEBHOOK_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { State } from "~/kit/state.tsx";

export type Destination = ResultOf<typeof WEBHOOK_ROUTES.getWebhookDestination>;

/** Shows the state of a destination. */
export function DestinationState({ of: { state, failures } }: { of: Destination }): ReactNode {
  if (state === "paused") return <State kind="none">paused; events wait</State>;
  if (state === "stopped") return <State kind="stop">stopped</State>;
  return failures > 0 ? <State kind="warn">failing</State> : <State kind="go">active</State>;
}

/** Shows the receiver's answer, or why there was none. In a list it is truncated, with the full text on hover. */
export function Answer({
  status,
  error,
  whole = false,
}: {
  status: number | null;
  error: string | null;
  whole?: boolean;
}): ReactNode {
  if (status !== null) return <State kind={status >= 200 && status < 300 ? "go" : "stop"}>{status}</State>;
  if (error === null) return <span className="text-ink-3">none yet</span>;
  return (
    <State kind="stop">
      <span title={error} className={whole ? "whitespace-normal" : ""}>
        {whole ? error : error.split(":")[0]}
      </span>
    </State>
  );
}
