import type { ReactNode } from "react";
import { State } from "~/kit/state.tsx";
import { Time, useNow } from "~/kit/time.tsx";

/** The end of a membership, marked if it has passed. Null: no end. */
export function EndOf({ at }: { at: string | null }): ReactNode {
  const nowMs = useNow(60_000).getTime();
  if (at === null) return <span className="text-ink-2">no end</span>;
  return Date.parse(at) <= nowMs ? (
    <State kind="stop">
      ended <Time at={at} />
    </State>
  ) : (
    <Time at={at} />
  );
}
