import { useVirtualizer } from "@tanstack/react-virtual";
import {
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from "react";
import { singleKeysOn } from "~/kit/single-keys.ts";
import { cn } from "./cn.ts";
import { GridHeader } from "./grid-header.tsx";
import { useResultTable, type GridColumn, type GridRow } from "./grid-table.ts";
import { cellText, kindOf, type ValueKind } from "./grid-values.ts";
import { withRow } from "./rows-in-sight.ts";

interface ResultGridProps {
  label: string;
  columns: readonly GridColumn[];
  rows: readonly GridRow[];
  open: GridRow | null;
  onOpen: (row: GridRow) => void;
}

const ROW = 30;

interface Place {
  readonly row: number;
  readonly column: number;
}

/**
 * A grid with the rows of a result. Only visible rows are in the document. Columns can be sorted and resized. The arrow
 * keys move between cells, Enter opens the row, `⌘C` copies the cell, `⇧⌘C` the row. A row is drawn again only when it
 * or its state changes.
 */
export function ResultGrid({ label, columns, rows, open, onOpen }: ResultGridProps): ReactNode {
  const { table, sorted } = useResultTable(columns, rows);
  const { box, active, setActive, moveFocus } = useActiveCell(columns);
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 10,
    rangeExtractor: withRow(active.row),
  });
  const kinds = useMemo(() => columns.map(({ type }) => kindOf(type)), [columns]);
  const names = useMemo(() => columns.map(({ name }) => name), [columns]);
  const { sorting } = table.state;
  useEffect(() => {
    // After a new sort order, show the first row.
    box.current?.scrollTo({ top: 0 });
  }, [box, sorting]);
  const latest = useRef({ sorted, onOpen });
  latest.current = { sorted, onOpen };
  const choose = useCallback(
    (place: Place, opens: boolean) => {
      setActive(place);
      const row = latest.current.sorted[place.row];
      if (opens && row !== undefined) latest.current.onOpen(row);
    },
    [setActive],
  );
  const onKey = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset["place"] === undefined) return;
    const next = moved(active, event, { rows: sorted.length, columns: columns.length });
    if (next !== null) {
      event.preventDefault();
      moveFocus(next);
      virtual.scrollToIndex(next.row);
      const row = sorted[next.row];
      if (open !== null && next.row !== active.row && row !== undefined) onOpen(row);
    } else if (event.key === "Enter" && open !== sorted[active.row]) {
      event.preventDefault();
      choose(active, true);
    } else if (event.key.toLowerCase() === "c" && (event.metaKey || event.ctrlKey))
      copy(event, sorted[active.row], names[active.column]);
  };
  const widths = table.getFlatHeaders().map((header) => `${header.getSize()}px`);
  return (
    <div
      ref={box}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length}
      className="min-h-40 flex-1 overflow-auto"
      style={{ "--grid": widths.join(" ") } as Record<string, string>}
      onKeyDown={onKey}
    >
      <div role="presentation" style={{ width: table.getTotalSize(), minWidth: "100%" }}>
        <GridHeader headers={table.getFlatHeaders()} kinds={kinds} />
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = sorted[index];
            if (row === undefined) return null;
            const at = active.row === index ? active.column : null;
            return <Row key={index} {...{ row, names, kinds, index, start, at, choose }} isOpen={open === row} />;
          })}
        </div>
      </div>
    </div>
  );
}

interface ActiveCell {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly active: Place;
  setActive(this: void, place: Place): void;
  /** Makes a cell active and gives it the focus once it is drawn. */
  moveFocus(this: void, place: Place): void;
}

/** Returns the cell that Tab moves to. With new columns it is the first cell. */
function useActiveCell(columns: readonly GridColumn[]): ActiveCell {
  const box = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  useEffect(() => setActive({ row: 0, column: 0 }), [columns]);
  const isMoving = useRef(false);
  useLayoutEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    const cell = box.current?.querySelector<HTMLElement>(`[data-place="${active.row}/${active.column}"]`);
    cell?.focus({ preventScroll: true });
    // This scrolls only horizontally: the virtualizer has already scrolled the rows.
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [active]);
  const moveFocus = (place: Place): void => {
    isMoving.current = true;
    setActive(place);
  };
  return { box, active, setActive, moveFocus };
}

function moved(
  { row, column }: Place,
  event: KeyboardEvent,
  { rows, columns }: { rows: number; columns: number },
): Place | null {
  if (event.metaKey || event.ctrlKey || event.altKey || (/^[jk]$/.test(event.key) && !singleKeysOn())) return null;
  const by: Readonly<Record<string, readonly [number, number]>> = {
    ArrowDown: [1, 0],
    ArrowUp: [-1, 0],
    ArrowRight: [0, 1],
    ArrowLeft: [0, -1],
    j: [1, 0],
    k: [-1, 0],
    PageDown: [20, 0],
    PageUp: [-20, 0],
    Home: [0, -columns],
    End: [0, columns],
  };
  const step = by[event.key];
  if (step === undefined) return null;
  const within = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));
  return { row: within(row + step[0], rows), column: within(column + step[1], columns) };
}

function copy(event: KeyboardEvent, row: GridRow | undefined, name: string | undefined): void {
  if (row === undefined || name === undefined || getSelection()?.isCollapsed === false) return;
  event.preventDefault();
  void navigator.clipboard.writeText(event.shiftKey ? JSON.stringify(row) : cellText(row[name] ?? ""));
}

interface RowProps {
  row: GridRow;
  names: readonly string[];
  kinds: readonly ValueKind[];
  index: number;
  start: number;
  isOpen: boolean;
  /** The column of the active cell; null: the active cell is in another row. */
  at: number | null;
  choose: (place: Place, opens: boolean) => void;
}

const Row = memo(function Row({ row, names, kinds, index, start, isOpen, at, choose }: RowProps): ReactNode {
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      className={cn(
        "absolute inset-x-0 top-0 grid h-[30px] border-b border-line hover:bg-well",
        isOpen && "bg-sea-2 hover:bg-sea-2",
      )}
      style={{ transform: `translateY(${start}px)`, gridTemplateColumns: "var(--grid)" }}
    >
      {names.map((name, column) => {
        const value = row[name] ?? null;
        return (
          <div
            key={name}
            role="gridcell"
            data-place={`${index}/${column}`}
            data-opener={isOpen ? "open" : ""}
            tabIndex={at === column ? 0 : -1}
            onClick={() => choose({ row: index, column }, true)}
            className={cn(
              "mono cursor-pointer truncate px-3.5 leading-[29px] focus-visible:-outline-offset-2",
              kinds[column] === "number" && "text-right",
              value === null && "text-ink-3 italic",
            )}
          >
            {cellText(value).slice(0, 500)}
          </div>
        );
      })}
    </div>
  );
});
