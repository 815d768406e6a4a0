import {
  columnResizingFeature,
  columnSizingFeature,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
  type ReactTable,
} from "@tanstack/react-table";
import { useMemo, useRef } from "react";
import { cellText, compareValues, kindOf, startWidth } from "./grid-values.ts";

export type GridRow = Readonly<Record<string, unknown>>;

export interface GridColumn {
  readonly name: string;
  /** As DuckDB names it. */
  readonly type: string;
}

const features = tableFeatures({
  columnSizingFeature,
  columnResizingFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});

export type GridFeatures = typeof features;

/** Order and widths of a result's columns. */
export function useResultTable(
  columns: readonly GridColumn[],
  rows: readonly GridRow[],
): ReactTable<GridFeatures, GridRow> {
  // The first rows tell how wide a column begins; later ones change nothing under the reader's eyes.
  const hasRows = rows.length > 0;
  const first = useRef(rows);
  first.current = rows;
  const defs = useMemo(
    () =>
      columns.map(({ name, type }, index): ColumnDef<GridFeatures, GridRow> => {
        const kind = kindOf(type);
        return {
          id: `c${index}`,
          header: name,
          accessorFn: (row) => row[name],
          size: hasRows
            ? startWidth(
                name,
                first.current.slice(0, 50).map((row) => cellText(row[name])),
              )
            : startWidth(name, []),
          minSize: 48,
          maxSize: 2000,
          sortFn: (a, b, id) => compareValues(kind, a.getValue(id), b.getValue(id)),
          sortDescFirst: kind === "number" || kind === "time",
        };
      }),
    [columns, hasRows],
  );
  return useTable({
    features,
    columns: defs,
    data: rows,
    columnResizeMode: "onChange",
    enableMultiSort: true,
  });
}
