import { useCallback, useEffect, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { drawnRange } from "~/kit/chart-range.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { countText } from "~/kit/figures.ts";
import { Loading } from "~/kit/page.tsx";
import { shortText } from "~/kit/time-range.ts";
import { Time } from "~/kit/time.tsx";
import { ENTRIES_MAX } from "./entries-reader.ts";
import type { LogEntry } from "./entry.ts";
import { EntryList } from "./entry-list.tsx";
import { FacetBar } from "./facets.tsx";
import { FirstLog } from "./first-log.tsx";
import { LogHistogram } from "./histogram.tsx";
import { Summary } from "./summary.tsx";
import { useEntries } from "./use-entries.ts";
import { useNewest, useWhenFirst, type Explore } from "./use-explore.ts";
import { useFigures } from "./use-figures.ts";

interface FoundProps {
  explore: Explore;
  onOpen: (entry: LogEntry) => void;
  /** Called with a function that cancels the running queries, or null if none runs. */
  onRunning: (stop: (() => void) | null) => void;
}

/** Shows the result of a search: counts by time, level and service, and the entries. */
export function Found({ explore, onOpen, onRunning }: FoundProps): ReactNode {
  const { client, organization, wanted, bounds, text, run, setRange, openKey } = explore;
  const found = useEntries(client, wanted, bounds);
  const figures = useFigures({ client, organization, wanted, bounds, enabled: true });
  const isEmpty = found.isWhole && found.entries.length === 0;
  const { newest } = useNewest(explore, isEmpty);
  useWhenFirst(
    newest,
    useCallback(() => run(text), [run, text]),
  );
  const { stop } = found;
  // Later pages load during scrolling and need no cancel button.
  const isStarting = found.isLoading && found.entries.length === 0;
  useEffect(() => onRunning(isStarting ? stop : null), [isStarting, stop, onRunning]);
  useEffect(() => () => onRunning(null), [onRunning]);
  const narrow = useCallback((fromS: number, toS: number) => setRange(drawnRange(fromS, toS)), [setRange]);
  if (isEmpty && newest === null) return <FirstLog />;
  return (
    <>
      <LogHistogram histogram={figures.histogram} isFetching={figures.isPending} onRange={narrow} />
      <FacetBar facets={figures.facets} search={text} onSearch={run} />
      <Summary figures={figures} entries={found} />
      <ErrorNote error={found.error ?? figures.error}>
        {found.error !== null && <Button onClick={found.more}>Try again</Button>}
      </ErrorNote>
      {isEmpty ? (
        <Nothing explore={explore} newest={newest} />
      ) : (
        <EntryList
          key={`${bounds.from}/${bounds.to}/${text}`}
          label="Entries, newest first"
          entries={found.entries}
          openKey={openKey}
          onOpen={onOpen}
          onEnd={found.error === null && !found.isLoading ? found.more : undefined}
          footer={<End found={found} explore={explore} />}
        />
      )}
    </>
  );
}

function Nothing({ explore, newest }: { explore: Explore; newest: string | null | undefined }): ReactNode {
  const { range, text, setRange, run } = explore;
  return (
    <div role="status" className="flex flex-wrap items-center gap-3 rounded border border-line bg-sheet p-5 text-ink-2">
      <p>
        No entry matches in this range.
        {typeof newest === "string" && (
          <>
            {" "}
            The newest entry is from <Time at={newest} />.
          </>
        )}
      </p>
      {text !== "" && <Button onClick={() => run("")}>Clear the search</Button>}
      {range.kind === "last" && range.ms < 7 * 86_400_000 && (
        <Button onClick={() => setRange({ kind: "last", ms: 7 * 86_400_000 })}>Look in the last 7 days</Button>
      )}
      {typeof newest === "string" && (
        <Button onClick={() => setRange(hourBefore(newest))}>Show the hour before the newest</Button>
      )}
    </div>
  );
}

function hourBefore(moment: string): { kind: "between"; from: string; to: string } {
  const at = Date.parse(moment);
  return { kind: "between", from: new Date(at - 3_599_000).toISOString(), to: new Date(at + 1000).toISOString() };
}

function End({ found, explore }: { found: ReturnType<typeof useEntries>; explore: Explore }): ReactNode {
  const { entries, isLoading, isWhole, isStopped } = found;
  const last = entries.at(-1);
  const isFull = entries.length >= ENTRIES_MAX && last !== undefined;
  if (isStopped) return <p className="p-2.5 text-ink-3">Cancelled. Run it again.</p>;
  if (isLoading) return <Loading what="Reading on" />;
  if (isWhole || !isFull) return isWhole && <p className="p-2.5 text-ink-3">These are all entries in the range.</p>;
  return (
    <div className="flex flex-wrap items-center gap-3 p-2.5 text-ink-2">
      The page keeps {countText(ENTRIES_MAX)} entries.
      <Button onClick={() => explore.setRange({ kind: "between", from: explore.bounds.from, to: last.timestamp })}>
        Show entries before {shortText(last.timestamp)}
      </Button>
    </div>
  );
}
