import { SHOWN_COLUMNS, TELEMETRY_TYPES, type Column } from "../columns.ts";
import { SPOOL_TABLE_NAMES, SPOOL_TABLES } from "../spool/tables.ts";
import { RECORD_TABLE_NAMES, RECORD_TABLES } from "../records/tables.ts";

/** A table that a statement may read. */
export interface QueryTable {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The column with the project that decides visibility. A table without it is visible as a whole or not at all. */
  readonly projectColumn?: string;
  /** The column with the actor, if an actor sees only own rows. See `ChildFiles.onlyActor`. */
  readonly actorColumn?: string;
  /** Its files have values of type JSON as strings, because DuckDB would rewrite numbers. */
  readonly jsonIsText?: boolean;
}

/** The tables that statements can read. */
export const QUERY_TABLES: readonly QueryTable[] = [
  ...TELEMETRY_TYPES.map((name) => ({ name, columns: SHOWN_COLUMNS[name], projectColumn: "project_id" })),
  ...SPOOL_TABLE_NAMES.map((name) => {
    const { columns, actorColumn } = SPOOL_TABLES[name];
    return { name, columns, ...(actorColumn === undefined ? { projectColumn: "project_id" } : { actorColumn }) };
  }),
  ...RECORD_TABLE_NAMES.map((name) => {
    const columns = RECORD_TABLES[name];
    const hasProject = columns.some((column) => column.name === "project_id");
    return { name, columns, jsonIsText: true, ...(hasProject ? { projectColumn: "project_id" } : {}) };
  }),
];
