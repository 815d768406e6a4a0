import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type KeyboardEvent, type ReactNode } from "react";
import type { ItemList } from "~/api/queries.ts";
import { Button } from "~/kit/button.tsx";
import { cn } from "~/kit/cn.ts";
import { bytesText, countText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Badge, State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { idOf, nameIn, type Line } from "./objects.ts";

const ROW_PX = 30;

interface ObjectTableProps {
  list: ItemList<Line>;
  prefix: string;
  openId: string | undefined;
  onOpen: (line: Line) => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}

/** A folder's rows, of which those in sight are there; `j` and `k` move, `x` selects. */
export function ObjectTable(props: ObjectTableProps): ReactNode {
  const { list, prefix, openId, onOpen, selected, onSelect } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: list.items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
    scrollPaddingStart: ROW_PX,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const { hasMore, isLoadingMore, loadMore } = list;
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= list.items.length - 1) loadMore();
  }, [hasMore, isLoadingMore, last, list.items.length, loadMore]);
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>): void => {
    const at = Number((event.target as HTMLElement).closest<HTMLElement>("tr[data-index]")?.dataset["index"] ?? -1);
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const step = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    const line = list.items[at];
    if (event.key === "x" && line !== undefined) toggle(idOf(line));
    if (step === undefined || at < 0 || list.items[at + step] === undefined) return;
    event.preventDefault();
    rows.scrollToIndex(at + step);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`tr[data-index="${at + step}"] [data-opener]`)?.focus(),
    );
  };
  return (
    <div
      ref={scroller}
      tabIndex={0}
      role="group"
      aria-label="objects"
      className="relative min-h-0 flex-1 overflow-auto"
    >
      <table className="w-full border-collapse" onKeyDown={onKeyDown}>
        <Head list={list} selected={selected} onSelect={onSelect} />
        <tbody>
          <Gap px={shown[0]?.start ?? 0} />
          {shown.map(({ index }) => {
            const line = list.items[index];
            if (line === undefined) return null;
            const id = idOf(line);
            return (
              <ObjectRow
                key={id}
                line={line}
                name={nameIn(line.key, prefix)}
                index={index}
                isOpen={id === openId}
                isSelected={selected.has(id)}
                onOpen={() => onOpen(line)}
                onToggle={() => toggle(id)}
              />
            );
          })}
          <Gap px={rows.getTotalSize() - (shown.at(-1)?.end ?? 0)} />
        </tbody>
      </table>
      {hasMore && (
        <p className="sticky left-0 flex items-center gap-3 p-2.5 text-ink-2">
          {countText(list.items.length)} loaded
          <Button onClick={loadMore} busy={isLoadingMore}>
            More
          </Button>
        </p>
      )}
    </div>
  );
}

/** In the place of rows that are out of sight. */
function Gap({ px }: { px: number }): ReactNode {
  if (px <= 0) return null;
  return (
    <tr aria-hidden="true">
      <td colSpan={5} style={{ height: px }} />
    </tr>
  );
}

const HEAD = "h-[30px] border-b border-line bg-sheet px-3.5 text-s font-medium whitespace-nowrap text-ink-3";

function Head({ list, selected, onSelect }: Pick<ObjectTableProps, "list" | "selected" | "onSelect">): ReactNode {
  const ids = list.items.map(idOf);
  const isAll = ids.length > 0 && ids.every((id) => selected.has(id));
  return (
    <thead className="sticky top-0 z-10">
      <tr>
        <th scope="col" className={cn(HEAD, "w-8 pr-0")}>
          <input
            type="checkbox"
            className="size-4 align-middle accent-sea"
            aria-label={`Select the ${list.items.length} rows that are loaded`}
            checked={isAll}
            onChange={() => onSelect(new Set(isAll ? [] : ids))}
          />
        </th>
        {["Name", "Size", "State", "Modified"].map((title) => (
          <th key={title} scope="col" className={cn(HEAD, title === "Size" ? "text-right" : "text-left")}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const CELL = "h-[30px] border-b border-line px-3.5 whitespace-nowrap";

interface ObjectRowProps {
  line: Line;
  name: string;
  index: number;
  isOpen: boolean;
  isSelected: boolean;
  onOpen: () => void;
  onToggle: () => void;
}

function ObjectRow({ line, name, index, isOpen, isSelected, onOpen, onToggle }: ObjectRowProps): ReactNode {
  const isFolder = line.kind === "prefix";
  const shown = name === "" ? "(no name)" : visibleText(name);
  return (
    <tr
      data-index={index}
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
        <button
          type="button"
          data-opener
          {...(isFolder ? {} : { "aria-expanded": isOpen })}
          title={shown}
          className={cn("mono block min-h-6 max-w-full truncate text-left hover:text-sea", isFolder && "text-sea")}
          onClick={(event) => {
            event.stopPropagation();
            onOpen();
          }}
        >
          {name === "" ? <span className="text-ink-3">(no name)</span> : <ForeignText text={name} />}
        </button>
      </td>
      <td
        className={cn(CELL, "mono text-right")}
        {...(line.size_bytes === null ? {} : { title: `${countText(line.size_bytes)} bytes` })}
      >
        {line.size_bytes === null ? "" : bytesText(line.size_bytes)}
      </td>
      <td className={CELL}>
        <LineState line={line} />
      </td>
      <td className={CELL}>{line.last_modified !== null && <Time at={line.last_modified} />}</td>
    </tr>
  );
}

function LineState({ line }: { line: Line }): ReactNode {
  if (line.kind === "prefix") return <Badge>folder</Badge>;
  if (line.kind === "delete_marker") return <State kind="stop">{line.is_latest ? "deleted" : "was deleted"}</State>;
  if (line.kind === "version" && !line.is_latest) return <State kind="none">old version</State>;
  return <State kind="go">present</State>;
}
