import { useCallback, useMemo, useState, type ReactNode } from "react";
import { useAbsence } from "~/app/absent.tsx";
import { PageLink } from "~/app/page-link.tsx";
import { Button, buttonClass } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Inspector, WithInspector } from "~/kit/inspector.tsx";
import { Loading, Page as Frame } from "~/kit/page.tsx";
import { searchOf } from "~/kit/time-range.ts";
import { TimeRangePicker } from "~/kit/time-range-picker.tsx";
import { momentOfKey } from "./entry.ts";
import { EntryInspector } from "./entry-inspector.tsx";
import { readableSql } from "./log-query.ts";
import { Found } from "./found.tsx";
import { SearchBox } from "./search-box.tsx";
import { TailView } from "./tail-view.tsx";
import { useExplore, useOpenEntry, useOpenShown, type Explore } from "./use-explore.ts";

/** The page to search log entries and to follow them live. */
export function Page(): ReactNode {
  const explore = useExplore();
  const { text, wanted, range, isTail, openKey, run, setRange, setTail } = explore;
  const [running, setRunning] = useState<(() => void) | null>(null);
  const onOpen = useOpenShown(explore);
  const onRunning = useCallback((stop: (() => void) | null) => setRunning(() => stop), []);
  const sqlSearch = useMemo(() => ({ sql: readableSql(wanted), ...searchOf(range) }), [wanted, range]);
  return (
    <Frame
      title="Explore"
      fill
      actions={
        <>
          <PageLink page="sql" search={sqlSearch} className={buttonClass()}>
            Open as SQL
          </PageLink>
          <Button aria-pressed={isTail} onClick={() => setTail(!isTail)}>
            {isTail ? "Back to search" : "Live tail"}
          </Button>
        </>
      }
    >
      <SearchBox search={text} onRun={run} isRunning={running !== null} onCancel={() => running?.()}>
        {!isTail && <TimeRangePicker range={range} onChange={setRange} />}
      </SearchBox>
      <WithInspector inspector={openKey !== undefined && <OpenEntry explore={explore} />}>
        <div className="flex min-h-[420px] flex-1 flex-col gap-2.5">
          {wanted.search.mistakes.length > 0 ? null : isTail ? (
            <TailView client={explore.client} wanted={wanted} openKey={openKey} onOpen={onOpen} />
          ) : (
            <Found explore={explore} onOpen={onOpen} onRunning={onRunning} />
          )}
        </div>
      </WithInspector>
    </Frame>
  );
}

function OpenEntry({ explore }: { explore: Explore }): ReactNode {
  const { openKey, open, addTerm } = explore;
  const { entry, error, isAbsent } = useOpenEntry(explore);
  const close = (): void => open(undefined);
  useAbsence(isAbsent);
  if (entry !== null)
    return <EntryInspector entry={entry} onClose={close} onTerm={addTerm} permalink={permalinkOf(openKey ?? "")} />;
  return (
    <Inspector title="Entry" onClose={close}>
      <ErrorNote error={error} />
      {error === null && <Loading />}
    </Inspector>
  );
}

/** Returns the address of an entry with the five minutes around it, without the current search. */
function permalinkOf(key: string): string {
  const at = Date.parse(momentOfKey(key) ?? "");
  const around = (ms: number): string => new Date(at + ms).toISOString();
  const search = new URLSearchParams({ from: around(-150_000), to: around(150_000), entry: key });
  return `${location.origin}${location.pathname}?${search.toString()}`;
}
