import type { ReactNode } from "react";
import { bytesText, countText, durationText, plural } from "~/kit/figures.ts";
import { State } from "~/kit/state.tsx";
import { useNow } from "~/kit/time.tsx";
import type { RunState } from "./run-reader.ts";

/** Shows the figures of a run: rows, time, bytes read, and whether there are more rows. */
export function StatusLine({ result, limit }: { result: RunState; limit: string }): ReactNode {
  const { status, rows, end, tookMs } = result;
  return (
    <p role="status" className="flex min-h-6 flex-wrap items-center gap-x-3 text-ink-2">
      {status === "running" && <Running result={result} />}
      {status === "cancelled" && <State kind="none">Cancelled; {plural(rows.length, "row")} had arrived</State>}
      {status === "failed" && rows.length > 0 && (
        <State kind="stop">Incomplete: {plural(rows.length, "row")} had arrived</State>
      )}
      {status === "done" && (
        <span>
          {plural(rows.length, "row")} · {durationText(end?.statistics.elapsed_ms ?? tookMs ?? 0)}
          {end !== null && (
            <span
              title={`${countText(end.statistics.rows_scanned)} rows in ${countText(end.statistics.files_scanned)} of ${countText(end.statistics.files_total)} files; ${durationText(tookMs ?? 0)} with the transfer`}
            >
              {` · ${bytesText(end.statistics.bytes_scanned)} read, ${end.statistics.files_scanned} of ${plural(end.statistics.files_total, "file")}`}
            </span>
          )}
        </span>
      )}
      {end?.truncated === true && (
        <State kind="warn">Only the first {countText(Number(limit))} rows. An export has all rows.</State>
      )}
    </p>
  );
}

function Running({ result: { startedMs, arrived } }: { result: RunState }): ReactNode {
  useNow(100);
  return (
    <span aria-live="off">
      Running · {durationText(Math.max(1, performance.now() - startedMs))} · {plural(arrived, "row")}
    </span>
  );
}
