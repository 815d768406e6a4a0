import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type KeyboardEvent, type ReactNode } from "react";
import type { ItemList } from "~/api/queries.ts";
import { Button } from "./button.tsx";
import { cn } from "./cn.ts";
import { countText } from "./figures.ts";
import { visibleText } from "./foreign.ts";
import { ForeignText } from "./foreign-text.tsx";

const ROW_PX = 30;
const HEAD = "h-[30px] border-b border-line bg-sheet px-3.5 text-s font-medium whitespace-nowrap text-ink-3";

/** Common style of cells. */
export const CELL = "h-[30px] border-b border-line px-3.5 whitespace-nowrap";

/** A row with its checkbox. */
export interface SelectableRow {
  /** The label of the button that opens the row. It may be a text from outside. */
  readonly name: string;
  readonly nameClass?: string;
  /** Shown after the name. */
  readonly badge?: ReactNode;
  /** Whether the row opens an inspector; otherwise it is a link. */
  readonly expands: boolean;
  /** The other `<td>` elements, one for each other title. */
  readonly cells: ReactNode;
}

interface SelectableTableProps<Item> {
  /** The name of the table, for screen readers. */
  label: string;
  list: ItemList<Item>;
  /** The number of rows on all pages; undefined: unknown. */
  total?: number | undefined;
  /** Titles of the columns, first the name's. `Size` is right-aligned. */
  titles: readonly string[];
  idOf: (item: Item) => string;
  rowOf: (item: Item) => SelectableRow;
  openId: string | undefined;
  onOpen: (item: Item) => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}

/** A long list with checkboxes. Only visible rows are in the document. `j` and `k` move, `x` selects. */
export function SelectableTable<Item>(props: SelectableTableProps<Item>): ReactNode {
  const { label, list, total, titles, idOf, rowOf, openId, onOpen, selected, onSelect } = props;
  const { scroller, rows, onMove } = useRows(list);
  const shown = rows.getVirtualItems();
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>): void => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const at = Number((event.target as HTMLElement).closest<HTMLElement>("tr[data-index]")?.dataset["index"] ?? -1);
    const item = list.items[at];
    if (event.key === "x" && item !== undefined) toggle(idOf(item));
    onMove(event, at);
  };
  return (
    <div ref={scroller} tabIndex={0} role="group" aria-label={label} className="relative min-h-0 flex-1 overflow-auto">
      <table
        className="w-full border-collapse"
        aria-rowcount={total === undefined ? -1 : total + 1}
        onKeyDown={onKeyDown}
      >
        <Head label={label} titles={titles} ids={list.items.map(idOf)} selected={selected} onSelect={onSelect} />
        <tbody>
          <Gap px={shown[0]?.start ?? 0} columns={titles.length + 1} />
          {shown.map(({ index }) => {
            const item = list.items[index];
            if (item === undefined) return null;
            const id = idOf(item);
            return (
              <Row
                key={id}
                row={rowOf(item)}
                index={index}
                isOpen={id === openId}
                isSelected={selected.has(id)}
                onOpen={() => onOpen(item)}
                onToggle={() => toggle(id)}
              />
            );
          })}
          <Gap px={rows.getTotalSize() - (shown.at(-1)?.end ?? 0)} columns={titles.length + 1} />
        </tbody>
      </table>
      {list.hasMore && (
        <p className="sticky left-0 flex items-center gap-3 p-2.5 text-ink-2">
          {countText(list.items.length)}
          {total !== undefined && ` of ${countText(total)}`} loaded
          <Button onClick={list.loadMore} busy={list.isLoadingMore}>
            More
          </Button>
        </p>
      )}
    </div>
  );
}

/** Returns the visible rows, and loads the next page when the last row becomes visible. */
function useRows<Item>({ items, hasMore, isLoadingMore, loadMore }: ItemList<Item>) {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollPaddingStart: ROW_PX,
  });
  const last = rows.getVirtualItems().at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= items.length - 1) loadMore();
  }, [hasMore, isLoadingMore, last, items.length, loadMore]);
  const onMove = (event: KeyboardEvent, at: number): void => {
    const step = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || at < 0 || items[at + step] === undefined) return;
    event.preventDefault();
    rows.scrollToIndex(at + step);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`tr[data-index="${at + step}"] [data-opener]`)?.focus(),
    );
  };
  return { scroller, rows, onMove };
}

/** Takes the space of rows that are not in the document. */
function Gap({ px, columns }: { px: number; columns: number }): ReactNode {
  if (px <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height: px }} />
    </tr>
  );
}

interface HeadProps {
  label: string;
  titles: readonly string[];
  ids: readonly string[];
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}

function Head({ label, titles, ids, selected, onSelect }: HeadProps): ReactNode {
  const isAll = ids.length > 0 && ids.every((id) => selected.has(id));
  return (
    <thead className="sticky top-0 z-10">
      <tr>
        <th scope="col" className={cn(HEAD, "w-8 pr-0")}>
          <input
            type="checkbox"
            className="size-4 align-middle accent-sea"
            aria-label={`Select the ${ids.length} ${label} that are loaded`}
            checked={isAll}
            onChange={() => onSelect(new Set(isAll ? [] : ids))}
          />
        </th>
        {titles.map((title) => (
          <th key={title} scope="col" className={cn(HEAD, title === "Size" ? "text-right" : "text-left")}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface RowProps {
  row: SelectableRow;
  index: number;
  isOpen: boolean;
  isSelected: boolean;
  onOpen: () => void;
  onToggle: () => void;
}

function Row({ row, index, isOpen, isSelected, onOpen, onToggle }: RowProps): ReactNode {
  const { name, nameClass, badge, expands, cells } = row;
  const shown = name === "" ? "(no name)" : visibleText(name);
  return (
    <tr
      data-index={index}
      aria-rowindex={index + 2}
      className={cn("cursor-pointer hover:bg-well", (isOpen || isSelected) && "bg-sea-2 hover:bg-sea-2")}
      onClick={onOpen}
    >
      <td className={cn(CELL, "pr-0")} onClick={(event) => event.stopPropagation()}>
        <input
          type="checkbox"
          className="size-4 align-middle accent-sea"
          aria-label={`Select ${shown}`}
          checked={isSelected}
          onChange={onToggle}
        />
      </td>
      <td className={cn(CELL, "w-full max-w-0 min-w-48")}>
        <span className="flex items-center gap-2">
          <button
            type="button"
            data-opener={isOpen ? "open" : ""}
            {...(expands ? { "aria-expanded": isOpen } : {})}
            title={shown}
            className={cn("block min-h-6 min-w-0 truncate text-left hover:text-sea", nameClass)}
            onClick={(event) => {
              event.stopPropagation();
              onOpen();
            }}
          >
            {name === "" ? <span className="text-ink-3">(no name)</span> : <ForeignText text={name} />}
          </button>
          {badge}
        </span>
      </td>
      {cells}
    </tr>
  );
}
