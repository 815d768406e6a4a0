import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, type KeyboardEvent, type ReactNode } from "react";
import { useMe } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { cn } from "~/kit/cn.ts";
import { bytesText, countText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { Time } from "~/kit/time.tsx";
import { Badge } from "~/kit/state.tsx";
import type { ListedFile } from "./files.ts";
import type { FileList } from "./use-files.ts";

const ROW_PX = 30;

interface FileTableProps {
  list: FileList;
  openId: string | undefined;
  onOpen: (file: ListedFile) => void;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
}

/** Files in rows, of which those in sight are there; `j` and `k` move, `x` selects. */
export function FileTable(props: FileTableProps): ReactNode {
  const { list, openId, onOpen, selected, onSelect } = props;
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
  const toggle = (id: string): void => onSelect(selected.has(id) ? without(selected, id) : new Set([...selected, id]));
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>): void => {
    const at = Number((event.target as HTMLElement).closest<HTMLElement>("tr[data-index]")?.dataset["index"] ?? -1);
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const step = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    const file = list.items[at];
    if (event.key === "x" && file !== undefined) toggle(file.id);
    if (step === undefined || at < 0 || list.items[at + step] === undefined) return;
    event.preventDefault();
    rows.scrollToIndex(at + step);
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`tr[data-index="${at + step}"] [data-opener]`)?.focus(),
    );
  };
  const above = shown[0]?.start ?? 0;
  const below = rows.getTotalSize() - (shown.at(-1)?.end ?? 0);
  return (
    <div ref={scroller} tabIndex={0} role="group" aria-label="files" className="relative min-h-0 flex-1 overflow-auto">
      <table
        className="w-full border-collapse"
        aria-rowcount={list.total === undefined ? -1 : list.total + 1}
        onKeyDown={onKeyDown}
      >
        <Head list={list} selected={selected} onSelect={onSelect} />
        <tbody>
          <Gap px={above} />
          {shown.map(({ index }) => {
            const file = list.items[index];
            if (file === undefined) return null;
            return (
              <FileRow
                key={file.id}
                file={file}
                index={index}
                isOpen={file.id === openId}
                isSelected={selected.has(file.id)}
                onOpen={() => onOpen(file)}
                onToggle={() => toggle(file.id)}
              />
            );
          })}
          <Gap px={below} />
        </tbody>
      </table>
      {hasMore && (
        <p className="sticky left-0 flex items-center gap-3 p-2.5 text-ink-2">
          {countText(list.items.length)}
          {list.total !== undefined && ` of ${countText(list.total)}`} loaded
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
      <td colSpan={6} style={{ height: px }} />
    </tr>
  );
}

function without(set: ReadonlySet<string>, id: string): Set<string> {
  const less = new Set(set);
  less.delete(id);
  return less;
}

const HEAD = "h-[30px] border-b border-line bg-sheet px-3.5 text-s font-medium whitespace-nowrap text-ink-3";

function Head({ list, selected, onSelect }: Pick<FileTableProps, "list" | "selected" | "onSelect">): ReactNode {
  const isAll = list.items.length > 0 && list.items.every(({ id }) => selected.has(id));
  return (
    <thead className="sticky top-0 z-10">
      <tr>
        <th scope="col" className={cn(HEAD, "w-8 pr-0")}>
          <input
            type="checkbox"
            className="size-4 align-middle accent-sea"
            aria-label={`Select the ${list.items.length} files that are loaded`}
            checked={isAll}
            onChange={() => onSelect(isAll ? new Set() : new Set(list.items.map(({ id }) => id)))}
          />
        </th>
        {["Name", "Size", "Type", "Project", "Uploaded"].map((title) => (
          <th key={title} scope="col" className={cn(HEAD, title === "Size" ? "text-right" : "text-left")}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const CELL = "h-[30px] border-b border-line px-3.5 whitespace-nowrap";

interface FileRowProps {
  file: ListedFile;
  index: number;
  isOpen: boolean;
  isSelected: boolean;
  onOpen: () => void;
  onToggle: () => void;
}

function FileRow({ file, index, isOpen, isSelected, onOpen, onToggle }: FileRowProps): ReactNode {
  const me = useMe();
  const project = me?.projects.find(({ id }) => id === file.project_id)?.slug ?? file.project_id;
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
          aria-label={`Select ${visibleText(file.filename)}`}
          checked={isSelected}
          onChange={onToggle}
        />
      </td>
      <td className={cn(CELL, "w-full max-w-0 min-w-48")}>
        <span className="flex items-center gap-2">
          <button
            type="button"
            data-opener={isOpen ? "open" : ""}
            aria-expanded={isOpen}
            title={visibleText(file.filename)}
            className="block min-h-6 min-w-0 truncate text-left text-ink hover:text-sea"
            onClick={(event) => {
              event.stopPropagation();
              onOpen();
            }}
          >
            <ForeignText text={file.filename} />
          </button>
          {file.versions !== undefined && file.versions > 1 && <Badge>{countText(file.versions)} versions</Badge>}
        </span>
      </td>
      <td className={cn(CELL, "mono text-right")} title={`${countText(file.size_bytes)} bytes`}>
        {bytesText(file.size_bytes)}
      </td>
      <td className={cn(CELL, "max-w-56 truncate text-ink-2")}>
        <ForeignText text={file.content_type} />
      </td>
      <td className={cn(CELL, "text-ink-2")}>{project ?? "the organization"}</td>
      <td className={CELL}>
        <Time at={file.created_at} />
      </td>
    </tr>
  );
}
