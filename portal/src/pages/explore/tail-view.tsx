import type { Client } from "@mooring/client";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { countText } from "~/kit/figures.ts";
import { State } from "~/kit/state.tsx";
import type { LogEntry } from "./entry.ts";
import { EntryList } from "./entry-list.tsx";
import type { Wanted } from "./log-query.ts";
import { TAIL_MAX, type TailState } from "./tail-reader.ts";
import { useTail } from "./use-entries.ts";

interface TailViewProps {
  client: Client;
  wanted: Wanted;
  openKey: string | undefined;
  onOpen: (entry: LogEntry) => void;
}

/** Live entries, newest first. After scrolling, the visible entries stay in place. */
export function TailView({ client, wanted, openKey, onOpen }: TailViewProps): ReactNode {
  const tail = useTail(client, wanted);
  const [held, setHeld] = useState<readonly LogEntry[] | null>(null);
  const latest = useRef(tail.entries);
  latest.current = tail.entries;
  const onTop = useCallback((isAtTop: boolean) => {
    setHeld((before) => (isAtTop ? null : (before ?? latest.current)));
  }, []);
  useEffect(() => setHeld(null), [client, wanted]);
  const entries = held ?? tail.entries;
  const isPaused = tail.status === "paused";
  return (
    <>
      <div className="flex shrink-0 flex-wrap items-center gap-2">
        <TailStatus tail={tail} />
        <span className="ml-auto flex gap-2">
          {held !== null && held !== tail.entries && <Button onClick={() => setHeld(null)}>↑ Newer entries</Button>}
          <Button onClick={tail.clear}>Clear</Button>
          <Button onClick={isPaused ? tail.start : tail.pause} aria-pressed={isPaused}>
            {isPaused ? "Resume" : "Pause"}
          </Button>
        </span>
      </div>
      {tail.gap !== null && <p className="rounded border border-warn bg-warn-2 px-3 py-1.5">{tail.gap}</p>}
      <ErrorNote error={tail.error} />
      <EntryList
        key={held === null ? "live" : "held"}
        label="Live entries"
        entries={entries}
        openKey={openKey}
        onOpen={onOpen}
        onTop={onTop}
      />
    </>
  );
}

function TailStatus({ tail: { status, entries, seen, rate } }: { tail: TailState }): ReactNode {
  const [kind, words] = {
    connecting: ["none", "Connecting"],
    live: ["go", "Live"],
    paused: ["none", "Paused. Resume to see the entries since then."],
    waiting: ["warn", "Connection lost. Retrying."],
  }[status] as [kind: "go" | "none" | "warn", words: string];
  const shown = seen > entries.length && entries.length >= TAIL_MAX ? `the newest ${countText(TAIL_MAX)} of ` : "";
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-ink-2">
      <span role="status">
        <State kind={kind}>{words}</State>
      </span>
      <span className="mono">
        {shown}
        {countText(seen)} entries · {rate < 10 ? rate.toFixed(1) : countText(Math.round(rate))}/s
      </span>
    </p>
  );
}
