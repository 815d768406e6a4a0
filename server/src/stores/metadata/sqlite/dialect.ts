import type { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
} from "kysely";
import type { Deferred, DeferrerOf } from "../deferred.ts";
import { asAnswer, isBusy } from "../errors.ts";
import { publishRead } from "../observed.ts";
import type { Tables } from "../schema.ts";
import type { GroupCommit } from "./group-commit.ts";
import type { Statement } from "./messages.ts";
import { PointReads } from "./point-reads.ts";
import type { Readers } from "./readers.ts";
import { plainRow, Statements, type StatementResult } from "./statements.ts";
import { Unexpected } from "./writer.ts";

const READ_ATTEMPTS_MAX = 200;
const READ_RETRY_MS = 5;

/**
 * Returns the Kysely dialect for reads: point reads on a read-only connection of this thread, all others in reader
 * processes.
 * @param readers null: all reads run on this thread, as in a command
 */
export function readDialect(db: DatabaseSync, readers: Readers | null): Dialect {
  const connection = new ReadConnection(db, readers);
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

/**
 * Returns the Kysely dialect for transactions on the writer thread. `commit` resolves when the transaction's group is
 * on disk.
 */
export function writeDialect(groups: GroupCommit): Dialect {
  return dialectOf({
    init: async () => {},
    acquireConnection: async () => new WriteConnection(groups),
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

/**
 * Lets transactions overlap. By default Kysely finishes one before the next begins, and nothing could be committed
 * together.
 */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class ReadConnection implements DatabaseConnection {
  readonly #statements: Statements;
  readonly #pointReads: PointReads;
  readonly #readers: Readers | null;

  constructor(db: DatabaseSync, readers: Readers | null) {
    this.#statements = new Statements(db);
    this.#pointReads = new PointReads(db);
    this.#readers = readers;
  }

  /**
   * Readers do not wait in a write-ahead log, except for moments in which another process opens or closes the database.
   */
  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    publishRead(query.sql, query.parameters);
    for (let attempts = 1; ; attempts++) {
      try {
        return toQueryResult(await this.#run(query));
      } catch (error) {
        if (!isBusy((error as { errcode?: unknown }).errcode) || attempts === READ_ATTEMPTS_MAX) throw asAnswer(error);
      }
      await delay(READ_RETRY_MS);
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return refuseStream();
  }

  #run({ sql, parameters }: CompiledQuery): StatementResult | Promise<StatementResult> {
    if (this.#readers !== null && !this.#pointReads.includes(sql, parameters)) {
      return this.#readers.run(sql, parameters.map(detached)).then((rows) => ({ rows, changes: undefined }));
    }
    const { rows, changes } = this.#statements.run(sql, parameters);
    return { rows: rows.map(plainRow), changes };
  }
}

/** Rows that were read ahead had changed when the transaction reached them, so its work must run again. */
export class StaleRead extends Error {}

/**
 * Returns a deferrer that sends deferred statements with the transaction's next message.
 * @param read reads committed state; null: nothing is read ahead
 */
export function sqliteDeferrer(read: Kysely<Tables> | null): DeferrerOf {
  return (tx, { isAgain }) =>
    tx.getExecutor().provideConnection(async (connection) => {
      const transaction = writeConnection(connection);
      return {
        add: (deferred) => transaction.defer(deferred),
        readAhead: async (query) => {
          // The transaction's own changes are not committed yet, so a read of committed state would miss them.
          if (read === null || isAgain || transaction.hasBegun) return (await tx.executeQuery(query)).rows;
          const { rows } = await read.executeQuery(query);
          transaction.defer({ query, rows: rows as StatementResult["rows"] });
          return rows;
        },
        settle: async () => {},
        abort: (reason) => transaction.abort(reason),
      };
    });
}

/** A transaction. It collects deferred statements until the next message. */
class WriteConnection implements DatabaseConnection {
  readonly #groups: GroupCommit;
  /** Whether it has sent or deferred anything except what it reads ahead. */
  hasBegun = false;
  #deferred: Sent[] = [];
  #state: "new" | "begun" | "failed" | "ended" = "new";
  /** The reason of the abort. */
  #aborted: Error | undefined;

  constructor(groups: GroupCommit) {
    this.#groups = groups;
  }

  async begin(): Promise<void> {
    await this.#groups.begin().catch(rethrow);
    this.#state = "begun";
  }

  defer(deferred: Sent): void {
    this.#assertBegun();
    this.hasBegun ||= deferred.rows === undefined;
    this.#deferred.push(deferred);
  }

  async commit(): Promise<void> {
    if (this.#aborted !== undefined) throw this.#aborted;
    // As in PostgreSQL: statements after the failed one assumed its result.
    if (this.#state !== "begun") throw new Error("cannot commit the transaction: a statement in it failed");
    this.#state = "ended";
    const deferred = this.#deferred;
    await this.#groups.commit(deferred.map(statementOf)).catch((error: unknown) => rethrowOf(deferred, error));
  }

  /** Refuses later statements. `undo`, which follows, rolls back those that were sent. */
  abort(reason: Error): void {
    this.#aborted ??= reason;
    this.#deferred = [];
  }

  /** Rolls back. Kysely also calls this after a failed COMMIT, when nothing is left to roll back. */
  undo(): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#groups.undo();
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#assertBegun();
    this.hasBegun = true;
    const deferred = this.#deferred;
    this.#deferred = [];
    try {
      return toQueryResult(await this.#groups.run([...deferred, { query }].map(statementOf)));
    } catch (error) {
      if (this.#state === "begun") this.#state = "failed";
      return rethrowOf(deferred, error);
    }
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    return refuseStream();
  }

  #assertBegun(): void {
    if (this.#aborted !== undefined) throw this.#aborted;
    if (this.#state !== "begun") throw new Error(`cannot run a statement: the transaction has ${this.#state}`);
  }
}

interface Sent extends Deferred {
  /** The rows that were read ahead, to compare. */
  readonly rows?: StatementResult["rows"];
}

function statementOf({ query, expected, rows }: Sent): Statement {
  return { sql: query.sql, parameters: query.parameters.map(detached), changes: expected?.changes, rows };
}

/** Copies a view of a larger buffer, because sending it to the thread would copy the whole buffer. */
function detached(value: unknown): unknown {
  return value instanceof Uint8Array && value.byteLength < value.buffer.byteLength ? new Uint8Array(value) : value;
}

function rethrowOf(sent: readonly Sent[], error: unknown): never {
  const unexpected = error instanceof Unexpected ? sent[error.at] : undefined;
  if (unexpected?.rows !== undefined) throw new StaleRead("a row that was read ahead has changed");
  throw unexpected?.expected?.orElse() ?? asAnswer(error);
}

function rethrow(error: unknown): never {
  throw asAnswer(error);
}

function writeConnection(connection: DatabaseConnection): WriteConnection {
  if (!(connection instanceof WriteConnection)) throw new Error("cannot use the connection: it is not the writer's");
  return connection;
}

function toQueryResult<R>({ rows, changes }: StatementResult): QueryResult<R> {
  const result = { rows: rows as R[] };
  return changes === undefined ? result : { ...result, numAffectedRows: BigInt(changes) };
}

function refuseStream(): never {
  throw new Error("cannot stream rows: read them in pages by key");
}
