import type { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from "kysely";
import { asAnswer, isBusy } from "../errors.ts";
import type { GroupCommit } from "./group-commit.ts";
import { Statements, type StatementResult } from "./statements.ts";
import type { SqliteWriter } from "./writer.ts";

const READ_ATTEMPTS_MAX = 200;
const READ_RETRY_MS = 5;

/** Kysely on a read-only connection of this thread: a statement runs at once and must be short. */
export function readDialect(db: DatabaseSync): Dialect {
  const connection = new ReadConnection(db);
  const refuse = async (): Promise<never> => {
    throw new Error("cannot begin a transaction for reading: use MetadataStore.write");
  };
  return dialectOf({
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    releaseConnection: async () => {},
    destroy: async () => {},
  });
}

/** Kysely on the writer thread, in transactions only; `commit` resolves when the group that the transaction is in is on disk. */
export function writeDialect(writer: SqliteWriter, groups: GroupCommit): Dialect {
  return dialectOf({
    init: async () => {},
    acquireConnection: async () => new WriteConnection(writer, groups),
    beginTransaction: async (connection) => writeConnection(connection).begin(),
    commitTransaction: async (connection) => writeConnection(connection).commit(),
    rollbackTransaction: async (connection) => writeConnection(connection).undo(),
    releaseConnection: async () => {},
    destroy: async () => {},
  });
}

function dialectOf(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createAdapter: () => new ConcurrentSqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Kysely would let one transaction finish before the next one begins, and so leave nothing to commit together. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class ReadConnection implements DatabaseConnection {
  readonly #statements: Statements;

  constructor(db: DatabaseSync) {
    this.#statements = new Statements(db);
  }

  /** Readers wait for nobody in a write-ahead log, save for moments when another process opens or closes the database. */
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    for (let attempts = 1; ; attempts++) {
      try {
        return toQueryResult(plain(this.#statements.run(query.sql, query.parameters)));
      } catch (error) {
        if (!isBusy((error as { errcode?: unknown }).errcode) || attempts === READ_ATTEMPTS_MAX) throw asAnswer(error);
      }
      await delay(READ_RETRY_MS);
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return refuseStream();
  }
}

class WriteConnection implements DatabaseConnection {
  readonly #writer: SqliteWriter;
  readonly #groups: GroupCommit;
  #state: "new" | "begun" | "failed" | "ended" = "new";

  constructor(writer: SqliteWriter, groups: GroupCommit) {
    this.#writer = writer;
    this.#groups = groups;
  }

  async begin(): Promise<void> {
    await this.#groups.begin().catch(rethrow);
    this.#state = "begun";
  }

  async commit(): Promise<void> {
    // As PostgreSQL has it: what followed the failure was meant for a state that never came about.
    if (this.#state !== "begun") throw new Error("cannot commit the transaction: a statement in it failed");
    this.#state = "ended";
    await this.#groups.commit().catch(rethrow);
  }

  /** Kysely calls this after a COMMIT that failed as well, when there is nothing left to take back. */
  undo(): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#groups.undo();
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#state !== "begun") throw new Error(`cannot run a statement: the transaction has ${this.#state}`);
    try {
      return toQueryResult(await this.#writer.run(query.sql, query.parameters));
    } catch (error) {
      if (this.#state === "begun") this.#state = "failed";
      throw asAnswer(error);
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return refuseStream();
  }
}

function rethrow(error: unknown): never {
  throw asAnswer(error);
}

function writeConnection(connection: DatabaseConnection): WriteConnection {
  if (!(connection instanceof WriteConnection)) throw new Error("cannot use the connection: it is not the writer's");
  return connection;
}

/** Rows come from SQLite without a prototype, from PostgreSQL and from the writer's thread with one. */
function plain(result: StatementResult): StatementResult {
  return { rows: result.rows.map((row) => ({ ...row })), changes: result.changes };
}

function toQueryResult<R>({ rows, changes }: StatementResult): QueryResult<R> {
  const result = { rows: rows as R[] };
  return changes === undefined ? result : { ...result, numAffectedRows: BigInt(changes) };
}

function refuseStream(): never {
  throw new Error("cannot stream rows: read them in pages by key");
}
