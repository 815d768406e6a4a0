import type { ReactNode } from "react";
import { bytesText, countText, durationText } from "~/kit/figures.ts";
import type { EntriesState } from "./entries-reader.ts";
import type { Figures } from "./use-figures.ts";

/** Shows the number of matches and entries, the time, and the bytes read. */
export function Summary({ figures, entries }: { figures: Figures; entries: EntriesState }): ReactNode {
  const { histogram, facets, statistics, isPending } = figures;
  const elapsedMs = Math.max(0, ...statistics.map(({ elapsed_ms }) => elapsed_ms));
  const bytes = statistics.reduce((sum, { bytes_scanned }) => sum + bytes_scanned, entries.bytesScanned);
  const counts =
    histogram === null || facets === null
      ? "Counting"
      : `${countText(histogram.total)} of ${countText(Math.max(facets.all, histogram.total))} entries`;
  return (
    <p role="status" className="shrink-0 text-ink-2" aria-busy={isPending}>
      {counts}
      {isPending || statistics.length === 0 ? "…" : ` · ${durationText(elapsedMs)}`}
      <span title="Bytes of the files that were searched for the counts and entries, including skipped parts">
        {` · ${bytesText(bytes)} read`}
      </span>
      {` · ${countText(entries.entries.length)} loaded`}
    </p>
  );
}
