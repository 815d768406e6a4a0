import type { ReactNode } from "react";
import { Button } from "../button.tsx";
import { messageOf } from "../error-note.tsx";
import { State } from "../state.tsx";
import type { ChartProps } from "./props.ts";

type StateProps = Pick<ChartProps, "error" | "onRetry" | "empty" | "isFetching"> & {
  isLoading: boolean;
  isEmpty: boolean;
};

/** The content of the plot if there is nothing to draw, or while the data is read again. */
export function ChartState({ error = null, onRetry, empty, isFetching = false, ...is }: StateProps): ReactNode {
  if (error !== null)
    return (
      <div className={is.isEmpty ? "ch-state" : "ch-tag ch-failed"} role="alert">
        <span className="max-w-full [overflow-wrap:anywhere] whitespace-normal">
          <State kind="stop">{messageOf(error)}</State>
        </span>
        {onRetry !== undefined && (
          <span>
            shorten the range, or{" "}
            <Button look="quiet" className="h-6 px-1 text-s text-sea" onClick={onRetry}>
              try again
            </Button>
          </span>
        )}
      </div>
    );
  if (is.isLoading || isFetching)
    return (
      <span role="status">
        <span className="sr-only">Loading…</span>
        <i className="ch-progress" />
      </span>
    );
  if (is.isEmpty) return <div className="ch-state">{empty ?? "No data in this range"}</div>;
  return null;
}
