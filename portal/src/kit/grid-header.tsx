import type { Header } from "@tanstack/react-table";
import type { ReactNode } from "react";
import { cn } from "./cn.ts";
import type { GridFeatures, GridRow } from "./grid-table.ts";
import type { ValueKind } from "./grid-values.ts";

type ResultHeader = Header<GridFeatures, GridRow, unknown>;

const STEP = 24;

/**
 * The column names. A click sorts; with Shift it adds a sort column. The right edge changes the width, by dragging or
 * with the arrow keys.
 */
export function GridHeader({
  headers,
  kinds,
}: {
  headers: readonly ResultHeader[];
  kinds: readonly ValueKind[];
}): ReactNode {
  return (
    <div role="rowgroup" className="sticky top-0 z-10 bg-sheet">
      <div
        role="row"
        aria-rowindex={1}
        className="grid h-[30px] border-b border-line"
        style={{ gridTemplateColumns: "var(--grid)" }}
      >
        {headers.map((header, index) => (
          <HeaderCell key={header.id} header={header} isNumber={kinds[index] === "number"} />
        ))}
      </div>
    </div>
  );
}

function HeaderCell({ header, isNumber }: { header: ResultHeader; isNumber: boolean }): ReactNode {
  const { column } = header;
  const name = String(column.columnDef.header);
  const order = column.getIsSorted();
  const widen = (by: number): void =>
    header
      .getContext()
      .table.setColumnSizing((sizes) => ({ ...sizes, [column.id]: Math.max(48, column.getSize() + by) }));
  return (
    <div
      role="columnheader"
      aria-sort={order === false ? "none" : order === "asc" ? "ascending" : "descending"}
      className="relative flex min-w-0 items-center"
    >
      <button
        type="button"
        title={`Sort by ${name}`}
        onClick={column.getToggleSortingHandler()}
        className={cn(
          "mono flex h-full min-w-0 flex-1 items-center gap-1 px-3.5 text-s font-medium text-ink-3 hover:text-ink",
          isNumber && "justify-end",
        )}
      >
        <span className="truncate">{name}</span>
        <span aria-hidden="true">{order === false ? "" : order === "asc" ? "↑" : "↓"}</span>
      </button>
      <span
        role="separator"
        aria-orientation="vertical"
        aria-label={`Width of ${name}`}
        aria-valuenow={column.getSize()}
        tabIndex={0}
        onMouseDown={header.getResizeHandler()}
        onTouchStart={header.getResizeHandler()}
        onDoubleClick={() => column.resetSize()}
        onKeyDown={(event) => {
          const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          widen(by);
        }}
        className="absolute inset-y-0 right-0 w-2 cursor-col-resize touch-none border-r border-line hover:border-sea"
      />
    </div>
  );
}
