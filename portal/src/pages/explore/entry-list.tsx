import { useVirtualizer } from "@tanstack/react-virtual";
import {
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import { singleKeysOn } from "~/kit/single-keys.ts";
import { cn } from "~/kit/cn.ts";
import { withRow } from "~/kit/rows-in-sight.ts";
import { ownZoneText } from "~/kit/time-range.ts";
import { entryKey, type LogEntry } from "./entry.ts";
import { Level } from "./level.tsx";

const ROW = 30;
/** The number of remaining rows at which more entries are loaded. */
const READ_AHEAD = 500;
const COLUMNS =
  "grid grid-cols-[178px_78px_112px_minmax(0,1fr)] max-sm:grid-cols-[64px_64px_minmax(0,1fr)] gap-3 px-3.5";

interface EntryListProps {
  label: string;
  entries: readonly LogEntry[];
  openKey: string | undefined;
  onOpen: (entry: LogEntry) => void;
  /** Called when the last rows become visible. */
  onEnd?: (() => void) | undefined;
  /** Called with whether the newest entry is visible. */
  onTop?: ((isAtTop: boolean) => void) | undefined;
  footer?: ReactNode;
}

/**
 * A list of entries. Only visible entries are in the document. Tab moves to one of them, `j` and `k` move between them,
 * Enter opens.
 */
export function EntryList({ label, entries, openKey, onOpen, onEnd, onTop, footer }: EntryListProps): ReactNode {
  const { box, active, setActive, moveFocus } = useActiveRow(entries.length);
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 12,
    rangeExtractor: withRow(active),
  });
  const items = rows.getVirtualItems();
  const last = rows.range?.endIndex ?? 0;
  const isNearEnd = last >= entries.length - READ_AHEAD;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, entries.length, onEnd]);

  const latest = useRef({ entries, onOpen });
  latest.current = { entries, onOpen };
  const open = useCallback((index: number) => {
    const entry = latest.current.entries[index];
    if (entry !== undefined) latest.current.onOpen(entry);
  }, []);
  const onKey = (event: KeyboardEvent): void => {
    const step = stepOf(event);
    if (step === undefined) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(entries.length - 1, active + step));
    moveFocus(index);
    rows.scrollToIndex(index);
    if (openKey !== undefined) open(index);
  };
  return (
    <div
      role="table"
      aria-label={label}
      aria-rowcount={entries.length + 1}
      className="flex min-h-0 flex-1 flex-col rounded border border-line bg-sheet"
      onKeyDown={onKey}
    >
      <HeaderRow />
      <div
        ref={box}
        role="rowgroup"
        tabIndex={-1}
        className="min-h-40 flex-1 overflow-auto"
        onScroll={onTop && ((event) => onTop(event.currentTarget.scrollTop < ROW))}
      >
        <div role="presentation" className="relative" style={{ height: rows.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const entry = entries[index];
            return (
              entry !== undefined && (
                <Row
                  key={index}
                  {...{ entry, index, start, open }}
                  isActive={index === active}
                  onFocus={setActive}
                  isOpen={openKey?.startsWith(`${entry.timestamp}~`) === true && entryKey(entry) === openKey}
                />
              )
            );
          })}
        </div>
        <FooterRow>{footer}</FooterRow>
      </div>
    </div>
  );
}

interface ActiveRow {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly active: number;
  setActive(this: void, index: number): void;
  /** Makes a row active and gives it the focus once it is drawn. */
  moveFocus(this: void, index: number): void;
}

/** Returns the row that Tab moves to. */
function useActiveRow(count: number): ActiveRow {
  const box = useRef<HTMLDivElement>(null);
  const [chosen, setActive] = useState(0);
  const active = Math.max(0, Math.min(chosen, count - 1));
  const isMoving = useRef(false);
  useLayoutEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    box.current?.querySelector<HTMLElement>(`[data-index="${active}"] [data-opener]`)?.focus({ preventScroll: true });
  }, [active]);
  const moveFocus = (index: number): void => {
    isMoving.current = true;
    setActive(index);
  };
  return { box, active, setActive, moveFocus };
}

/** Returns how many rows a key moves, or undefined for other keys. */
function stepOf({ key, metaKey, ctrlKey }: KeyboardEvent): number | undefined {
  if (metaKey || ctrlKey || (/^[jk]$/.test(key) && !singleKeysOn())) return undefined;
  return { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[key];
}

function FooterRow({ children }: { children: ReactNode }): ReactNode {
  if (children === undefined || children === false) return null;
  return (
    <div role="row">
      <div role="cell">{children}</div>
    </div>
  );
}

function HeaderRow(): ReactNode {
  return (
    <div role="rowgroup" className="border-b border-line">
      <div role="row" aria-rowindex={1} className={cn(COLUMNS, "h-[30px] items-center text-s font-medium text-ink-3")}>
        <span role="columnheader">Time (UTC)</span>
        <span role="columnheader">Level</span>
        <span role="columnheader" className="max-sm:hidden">
          Service
        </span>
        <span role="columnheader">Message</span>
      </div>
    </div>
  );
}

interface RowProps {
  entry: LogEntry;
  index: number;
  start: number;
  isOpen: boolean;
  /** Whether Tab moves to this row. */
  isActive: boolean;
  onFocus: (index: number) => void;
  open: (index: number) => void;
}

const Row = memo(function Row({ entry, index, start, isOpen, isActive, onFocus, open }: RowProps): ReactNode {
  const [date = "", time = ""] = entry.timestamp.replace("Z", "").split("T");
  return (
    <div
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      className={cn(
        COLUMNS,
        "absolute inset-x-0 top-0 h-[30px] cursor-pointer items-center border-b border-line hover:bg-well",
        isOpen && "bg-sea-2 hover:bg-sea-2",
      )}
      style={{ transform: `translateY(${start}px)` }}
      onClick={(event) => {
        // The keys then move from this row.
        event.currentTarget.querySelector("button")?.focus({ preventScroll: true });
        open(index);
      }}
    >
      <span role="cell" className="min-w-0">
        <button
          type="button"
          data-opener={isOpen ? "open" : ""}
          aria-expanded={isOpen}
          tabIndex={isActive ? 0 : -1}
          onFocus={() => onFocus(index)}
          onPointerEnter={(event) => {
            event.currentTarget.title = `${entry.timestamp}\n${ownZoneText(entry.timestamp)}, your time`;
          }}
          className="mono block min-h-6 max-w-full truncate text-left text-ink hover:text-sea"
          onClick={(event) => {
            event.stopPropagation();
            open(index);
          }}
        >
          <span className="text-ink-3 max-sm:hidden">{date.slice(5)} </span>
          {time.slice(0, 8)}
          <span className="max-sm:hidden">.{time.slice(9, 15).padEnd(3, "0")}</span>
        </button>
      </span>
      <span role="cell" className="min-w-0 truncate">
        <Level level={entry.level} severity={entry.severity} />
      </span>
      <span role="cell" className="mono truncate max-sm:hidden">
        {entry.service}
      </span>
      <span role="cell" className="truncate">
        {entry.message}
      </span>
    </div>
  );
});
