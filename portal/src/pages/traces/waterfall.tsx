import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { durationText } from "~/kit/figures.ts";
import { moveOf } from "./tree-keys.ts";
import type { Node, Trace } from "./trace-tree.ts";
import { COLUMNS, WaterfallRow } from "./waterfall-row.tsx";

interface WaterfallProps {
  /** The rows that are not folded, from the top down. */
  rows: readonly Node[];
  trace: Trace;
  folded: ReadonlySet<string>;
  openKey: string | undefined;
  onOpen: (key: string) => void;
  onFold: (key: string, isFolded: boolean) => void;
}

const ROW_PX = 30;
const TICKS = [0, 0.25, 0.5, 0.75];

/**
 * The tree of spans with a time line. Only visible rows are in the document, since a trace may have thousands. The
 * arrow keys move and fold, Enter opens.
 */
export function Waterfall({ rows, trace, folded, openKey, onOpen, onFold }: WaterfallProps): ReactNode {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string | undefined>(openKey);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const at = Math.max(
    0,
    rows.findIndex(({ key }) => key === focused),
  );
  useEffect(() => {
    const place = rows.findIndex(({ key }) => key === openKey);
    if (place < 0) return;
    setFocused(openKey);
    virtual.scrollToIndex(place, { align: "auto" });
    // Scrolls only once for each opened row, so that the person can scroll away.
  }, [openKey]);
  const onKey = treeKeys({ rows, at, folded, onOpen, onFold }, (place, key) => {
    setFocused(key);
    virtual.scrollToIndex(place, { align: "auto" });
    if (openKey !== undefined) onOpen(key);
  });
  return (
    <div
      ref={scroller}
      role="treegrid"
      tabIndex={0}
      aria-label="Spans of the trace"
      aria-rowcount={rows.length}
      aria-activedescendant={rows[at] === undefined ? undefined : `${id}-${at}`}
      onKeyDown={onKey}
      className="min-h-60 flex-1 overflow-auto rounded border border-line bg-sheet"
    >
      <Scale durationMs={trace.durationMs} />
      <div role="rowgroup" className="relative min-w-[480px]" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const node = rows[index];
          if (node === undefined) return null;
          return (
            <WaterfallRow
              key={node.key}
              id={`${id}-${index}`}
              node={node}
              trace={trace}
              place={index}
              topPx={start}
              isFolded={folded.has(node.key)}
              isOpen={node.key === openKey}
              isFocused={index === at}
              onOpen={() => {
                setFocused(node.key);
                onOpen(node.key);
              }}
              onFold={() => onFold(node.key, !folded.has(node.key))}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Handles keys that move, fold and open. `onGo` gets the new row. */
function treeKeys(
  { rows, at, folded, onOpen, onFold }: Pick<WaterfallProps, "rows" | "folded" | "onOpen" | "onFold"> & { at: number },
  onGo: (place: number, key: string) => void,
): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const move = moveOf(event.key, rows, at, folded);
    if (move === null) return;
    event.preventDefault();
    if (move.open !== undefined) onOpen(move.open);
    if (move.fold !== undefined) onFold(move.fold.key, move.fold.isFolded);
    const next = move.to === undefined ? undefined : rows[move.to];
    if (next !== undefined && move.to !== undefined) onGo(move.to, next.key);
  };
}

/** The time axis, from the start of the trace. */
function Scale({ durationMs }: { durationMs: number }): ReactNode {
  return (
    <div
      role="row"
      className={`${COLUMNS} sticky top-0 z-10 min-w-[480px] border-b border-line bg-sheet text-s text-ink-3`}
    >
      <span role="columnheader" className="px-3.5 py-1">
        Span
      </span>
      <span role="columnheader" className="relative h-6" aria-label="Time since the start of the trace">
        {TICKS.map((share) => (
          <span
            key={share}
            className="mono absolute top-1 border-l border-line pl-1 text-xs"
            style={{ left: `${share * 100}%` }}
          >
            {share === 0 ? "0" : durationText(durationMs * share)}
          </span>
        ))}
      </span>
    </div>
  );
}
