import { COLUMNS, TELEMETRY_TYPES, type Column } from "../columns.ts";

/** A table that a statement may read: its columns, and the column by which a project's visibility is decided. */
export interface QueryTable {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly projectColumn: string;
}

/** The tables of the query surface. A further one is added here, and its files to `Snapshot`. */
export const QUERY_TABLES: readonly QueryTable[] = TELEMETRY_TYPES.map((name) => ({
  name,
  columns: COLUMNS[name],
  projectColumn: "project_id",
}));
