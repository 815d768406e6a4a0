import type { DatabaseSync } from "node:sqlite";
import { isShort, pageReadOf, type PageRead } from "./page-reads.ts";

/** The most values of one statement, so that lists in it (`id in (?, ?, …)`) are short too. */
const PARAMETERS_MAX = 100;
const STATEMENTS_MAX = 1024;

/** Indexes that are not unique, but in which few rows share a key. */
const SHARED_BY_FEW: ReadonlySet<string> = new Set([
  // A credential has at most two secrets, because a rotation deletes the expired ones.
  "credential_secret__credential_id__index",
  // The trusts of one credential are limited.
  "credential_trust__credential_id__index",
]);

/** Steps of a plan that read no table. */
const READS_NOTHING =
  /^(SCAN CONSTANT ROW|(CORRELATED )?SCALAR SUBQUERY \d+|LIST SUBQUERY \d+|USE TEMP B-TREE FOR .*|SCAN \d+ CONSTANT ROWS?)$/;
const BY_ROWID = /^SEARCH \S+ USING INTEGER PRIMARY KEY \(rowid=\?\)( LEFT-JOIN)?$/;
const BY_INDEX = /^SEARCH \S+ USING (?:COVERING )?INDEX (\S+) \(([^()]+)\)(?: LEFT-JOIN)?$/;
const ROWID_RANGE = /^SEARCH \S+ USING INTEGER PRIMARY KEY \(rowid[<>]\?\)$/;
/**
 * A page of a table by its number alone, which reads only the rows that it returns. The feed of access changes is read
 * like this, and must not wait.
 */
const PAGE_BY_NUMBER = /^select \* from "\w+" where "\w+" [<>]=? \? order by "\w+"( desc)? limit \?$/;
const PAGE_ROWS_MAX = 1000;
const FIRST_OR_LAST = /^SEARCH \S+( USING COVERING INDEX \S+)?$/;

const INDEXES = `
  select t.name as "table", list.name as name, list."unique" = 1 and list.partial = 0 as isUnique, column.name as column
  from sqlite_schema as t
  join pragma_index_list(t.name) as list
  join pragma_index_info(list.name) as column
  where t.type = 'table'`;

interface Kind {
  readonly isPoint: boolean;
  readonly page: PageRead | undefined;
  /** When the plan was read. */
  readonly atMs: number;
}

/** After this time the plan is read again, because new statistics may change it. */
const LOOK_AGAIN_MS = 10_000;

interface IndexColumn {
  readonly table: string;
  readonly name: string;
  readonly isUnique: number;
  readonly column: string;
}

/**
 * Finds statements that SQLite plans as reads by whole unique keys: for each value they read one row of each table,
 * however large the tables are. Short pages that an index bounds count as well. Only these statements may run on the
 * event loop.
 */
export class PointReads {
  readonly #db: DatabaseSync;
  readonly #known = new Map<string, Kind>();
  #keys: UniqueKeys | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  includes(sql: string, parameters: readonly unknown[]): boolean {
    if (parameters.length > PARAMETERS_MAX) return false;
    if (PAGE_BY_NUMBER.test(sql) && Number(parameters.at(-1)) > PAGE_ROWS_MAX) return false;
    const known = this.#kindOf(sql);
    return known.isPoint || (known.page !== undefined && isShort(known.page, parameters));
  }

  #kindOf(sql: string): Kind {
    const nowMs = performance.now();
    const known = this.#known.get(sql);
    if (known !== undefined && nowMs - known.atMs < LOOK_AGAIN_MS) return known;
    const plan = (this.#db.prepare(`explain query plan ${sql}`).all() as { detail: string }[]).map(
      ({ detail }) => detail,
    );
    const isPoint = plan.every((step) => this.#isBounded(step, sql));
    const kind = { isPoint, page: isPoint ? undefined : pageReadOf(sql, plan), atMs: nowMs };
    if (this.#known.size >= STATEMENTS_MAX) this.#known.clear();
    this.#known.set(sql, kind);
    return kind;
  }

  #isBounded(step: string, sql: string): boolean {
    if (READS_NOTHING.test(step) || BY_ROWID.test(step)) return true;
    if (ROWID_RANGE.test(step)) return PAGE_BY_NUMBER.test(sql);
    // The smallest or greatest key is one step down the tree. With a condition it may be a scan.
    if (FIRST_OR_LAST.test(step)) return !/\swhere\s/i.test(sql);
    const [, index = "", terms = ""] = BY_INDEX.exec(step) ?? [];
    const columns = terms.split(" AND ");
    if (!columns.every((term) => term.endsWith("=?"))) return false;
    this.#keys ??= new UniqueKeys(this.#db);
    const names = columns.map((term) => term.slice(0, -"=?".length));
    return SHARED_BY_FEW.has(index) || this.#keys.isOneRow(index, names);
  }
}

class UniqueKeys {
  readonly #tableOf = new Map<string, string>();
  /** Columns of each unique key of a table. */
  readonly #keysOf = new Map<string, Map<string, string[]>>();

  constructor(db: DatabaseSync) {
    for (const { table, name, isUnique, column } of db.prepare(INDEXES).all() as unknown as IndexColumn[]) {
      this.#tableOf.set(name, table);
      if (isUnique !== 1) continue;
      const keys = this.#keysOf.get(table) ?? new Map<string, string[]>();
      this.#keysOf.set(table, keys.set(name, [...(keys.get(name) ?? []), column]));
    }
  }

  /** Returns whether these columns of an index contain a whole unique key, so that at most one row matches. */
  isOneRow(index: string, columns: readonly string[]): boolean {
    const keys = this.#keysOf.get(this.#tableOf.get(index) ?? "")?.values() ?? [];
    return [...keys].some((key) => key.every((column) => columns.includes(column)));
  }
}
