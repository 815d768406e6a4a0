import { useEffect, useRef, type KeyboardEvent, type ReactNode } from "react";
import type { ItemList } from "~/api/queries.ts";
import { singleKeysOn } from "~/kit/single-keys.ts";
import { Button } from "./button.tsx";
import { cn } from "./cn.ts";
import { ErrorNote } from "./error-note.tsx";
import { Loading } from "./page.tsx";

export interface Column<I> {
  /** The column header; also the key. */
  readonly title: string;
  readonly cell: (item: I) => ReactNode;
  /** Whether the values are numbers, which are right-aligned. */
  readonly number?: boolean;
  /** Whether the column takes the remaining width. Longer text is truncated. */
  readonly grow?: boolean;
}

interface TableProps<I> {
  /** The name of the rows, for screen readers. */
  label: string;
  columns: readonly Column<I>[];
  items: readonly I[];
  keyOf: (item: I) => string;
  /** Called when a row is opened by click or `Enter`. */
  onOpen?: ((item: I) => void) | undefined;
  openKey?: string | undefined;
}

/** A table. If rows can be opened, the first column is a button, `j` and `k` move, and `Enter` opens. */
export function Table<I>({ label, columns, items, keyOf, onOpen, openKey }: TableProps<I>): ReactNode {
  const body = useRef<HTMLTableSectionElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || event.metaKey || event.ctrlKey || isForField(event)) return;
    const openers = [...(body.current?.querySelectorAll<HTMLElement>("[data-opener]") ?? [])];
    const next = openers[openers.indexOf(document.activeElement as HTMLElement) + step];
    if (next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div className="relative w-full overflow-x-auto" tabIndex={0} role="group" aria-label={label}>
      <table className="w-full border-collapse" onKeyDown={onOpen === undefined ? undefined : move}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={cn(
                  "h-[30px] border-b border-line px-3.5 text-s font-medium whitespace-nowrap text-ink-3",
                  column.number === true ? "text-right" : "text-left",
                )}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {items.map((item) => (
            <Row key={keyOf(item)} item={item} columns={columns} onOpen={onOpen} isOpen={keyOf(item) === openKey} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Whether a table ignores a key, because it is typed into a field or single keys are turned off. */
function isForField({ key, target }: KeyboardEvent): boolean {
  return (
    (target instanceof HTMLElement && target.matches("input,select,textarea")) ||
    (/^[jk]$/.test(key) && !singleKeysOn())
  );
}

function Row<I>({
  item,
  columns,
  onOpen,
  isOpen,
}: {
  item: I;
  columns: readonly Column<I>[];
  onOpen: ((item: I) => void) | undefined;
  isOpen: boolean;
}): ReactNode {
  return (
    <tr
      className={cn(
        "group",
        onOpen !== undefined && "cursor-pointer hover:bg-well",
        isOpen && "bg-sea-2 hover:bg-sea-2",
      )}
      onClick={onOpen && (() => onOpen(item))}
    >
      {columns.map((column, index) => (
        <td
          key={column.title}
          className={cn(
            "h-[30px] border-b border-line px-3.5 whitespace-nowrap group-last:border-b-0",
            column.number === true && "mono text-right",
            column.grow === true && "w-full max-w-0 min-w-40 truncate",
          )}
        >
          {index === 0 && onOpen !== undefined ? (
            <button
              type="button"
              data-opener={isOpen ? "open" : ""}
              aria-expanded={isOpen}
              className="min-h-6 max-w-full truncate text-left text-ink hover:text-sea"
              onClick={(event) => {
                event.stopPropagation();
                onOpen(item);
              }}
            >
              {column.cell(item)}
            </button>
          ) : (
            column.cell(item)
          )}
        </td>
      ))}
    </tr>
  );
}

/** A table for a list with pages. It shows the empty state, the error, and a button for more rows. */
export function ListTable<I>({
  list,
  empty,
  ...table
}: Omit<TableProps<I>, "items"> & { list: ItemList<I>; empty: ReactNode }): ReactNode {
  if (list.error !== null && list.items.length === 0) return <ErrorNote error={list.error} />;
  if (list.isPending) return <Loading />;
  if (list.items.length === 0 && !list.hasMore) return empty;
  return (
    <>
      <Table {...table} items={list.items} />
      {list.hasMore && <More list={list} />}
    </>
  );
}

/** Loads more rows when it becomes visible or is pressed. */
export function More<I>({ list }: { list: ItemList<I> }): ReactNode {
  const end = useRef<HTMLDivElement>(null);
  const { loadMore } = list;
  const latest = useRef(loadMore);
  latest.current = loadMore;
  useEffect(() => {
    const element = end.current;
    if (element === null) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting === true) latest.current();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div ref={end} className="flex items-center gap-3 border-t border-line p-2.5 text-ink-2">
      {list.items.length} shown
      <Button onClick={loadMore} busy={list.isLoadingMore}>
        More
      </Button>
    </div>
  );
}
