import {
  columnResizingFeature,
  columnSizingFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
  type ReactTable,
} from "@tanstack/react-table";
import { useMemo, useRef } from "react";
import { cellText, inOrder, kindOf, startWidth, type Order } from "./grid-values.ts";

export type GridRow = Readonly<Record<string, unknown>>;

export interface GridColumn {
  readonly name: string;
  /** The name of the type in DuckDB. */
  readonly type: string;
}

const features = tableFeatures({
  columnSizingFeature,
  columnResizingFeature,
  rowSortingFeature,
});

export type GridFeatures = typeof features;

const NO_ROWS: readonly GridRow[] = [];

/**
 * Returns the order and widths of a result's columns, and the sorted rows. The table library does not get the rows: it
 * would create an object for each, and a million rows would double the memory and block the page for a second.
 */
export function useResultTable(
  columns: readonly GridColumn[],
  rows: readonly GridRow[],
): { table: ReactTable<GridFeatures, GridRow>; sorted: readonly GridRow[] } {
  // The first rows set the initial width of a column. Later rows do not change it while a person reads.
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
          sortDescFirst: kind === "number" || kind === "time",
        };
      }),
    [columns, hasRows],
  );
  const table = useTable({
    features,
    columns: defs,
    data: NO_ROWS,
    columnResizeMode: "onChange",
    manualSorting: true,
    enableMultiSort: true,
  });
  const { sorting } = table.state;
  const sorted = useMemo(() => inOrder(rows, orderOf(columns, sorting)), [rows, columns, sorting]);
  return { table, sorted };
}

function orderOf(
  columns: readonly GridColumn[],
  sorting: readonly { readonly id: string; readonly desc: boolean }[],
): readonly Order[] {
  return sorting.flatMap(({ id, desc }) => {
    const column = columns[Number(id.slice(1))];
    return column === undefined ? [] : [{ name: column.name, kind: kindOf(column.type), desc }];
  });
}
