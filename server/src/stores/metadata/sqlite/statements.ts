import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

export interface StatementResult {
  rows: Record<string, unknown>[];
  /** Rows that were inserted, updated or deleted; undefined for a statement that returns rows. */
  changes: number | undefined;
}

interface Prepared {
  statement: StatementSync;
  returnsRows: boolean;
}

/** Converts a row to one with a prototype. SQLite's rows have none, unlike PostgreSQL's and the writer thread's. */
export function plainRow(row: Record<string, unknown>): Record<string, unknown> {
  return { ...row };
}

const STATEMENTS_MAX = 256;

/**
 * Runs statements and keeps the most recently used ones prepared, because preparing costs more than running most of
 * them.
 */
export class Statements {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  run(sql: string, parameters: readonly unknown[]): StatementResult {
    const { statement, returnsRows } = this.#prepare(sql);
    const values = parameters as SQLInputValue[];
    if (returnsRows) return { rows: statement.all(...values), changes: undefined };
    return { rows: [], changes: Number(statement.run(...values).changes) };
  }

  /** Forgets all prepared statements. Required before the database is closed. */
  clear(): void {
    this.#prepared.clear();
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      const statement = this.#db.prepare(sql);
      prepared = { statement, returnsRows: statement.columns().length > 0 };
      this.#evict();
    } else {
      this.#prepared.delete(sql); // set again below as the newest
    }
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  #evict(): void {
    if (this.#prepared.size < STATEMENTS_MAX) return;
    const oldest = this.#prepared.keys().next();
    if (oldest.done !== true) this.#prepared.delete(oldest.value);
  }
}
