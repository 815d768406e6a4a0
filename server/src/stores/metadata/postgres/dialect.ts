import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
} from "kysely";
import type { ConnectionPool, PooledConnection } from "./pool.ts";

const CHANGES = new Set(["INSERT", "UPDATE", "DELETE", "MERGE"]);

/**
 * Returns the Kysely dialect for a pool. Each transaction has its own `PostgresConnection`, and so has each statement
 * outside of a transaction.
 */
export function postgresDialect(pool: ConnectionPool): Dialect {
  return {
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => new PostgresConnection(await pool.connect()),
      beginTransaction: async (connection) => postgresConnection(connection).begin(),
      commitTransaction: async (connection) => postgresConnection(connection).commit(),
      rollbackTransaction: async (connection) => postgresConnection(connection).rollback(),
      releaseConnection: async (connection) => postgresConnection(connection).release(),
      destroy: async () => {},
    }),
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
}

/**
 * A connection that belongs to one transaction. It refuses statements after the end of the transaction: they would be
 * committed on their own, or become part of the next transaction.
 */
export class PostgresConnection implements DatabaseConnection {
  readonly #connection: PooledConnection;
  #state: "free" | "begun" | "ended" = "free";
  #aborted: Error | undefined;

  constructor(connection: PooledConnection) {
    this.#connection = connection;
  }

  async begin(): Promise<void> {
    await this.#connection.query("begin", []);
    this.#state = "begun";
  }

  async commit(): Promise<void> {
    this.assertUsable();
    this.#state = "ended";
    const { command } = await this.#connection.query("commit", []);
    // PostgreSQL answers a COMMIT with ROLLBACK after a failed statement, even when its error was caught.
    if (command === "ROLLBACK") throw new Error("cannot commit the transaction: a statement in it failed");
  }

  /** Rolls back. Kysely also calls this after a failed COMMIT. A connection that cannot roll back is not used again. */
  async rollback(): Promise<void> {
    this.#state = "ended";
    if (this.#aborted !== undefined) return;
    await this.#connection.query("rollback", []).catch(() => this.#connection.destroy());
  }

  /**
   * Ends the connection at once, and its transaction with it. Statements that were sent are never committed, and later
   * ones are refused.
   */
  abort(reason: Error): void {
    this.#aborted ??= reason;
    this.#connection.destroy();
  }

  release(): void {
    this.#state = "ended";
    this.#connection.release();
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    this.assertUsable();
    const { command, rowCount, rows } = await this.#connection.query(sql, parameters);
    const result = { rows: rows as R[] };
    return CHANGES.has(command) ? { ...result, numAffectedRows: BigInt(rowCount ?? 0) } : result;
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("cannot stream rows: read them in pages by key");
  }

  /** @throws Error when the transaction may send no more statements */
  assertUsable(): void {
    if (this.#aborted !== undefined) throw this.#aborted;
    if (this.#state === "ended") throw new Error("cannot run a statement: the transaction has ended");
  }
}

export function postgresConnection(connection: DatabaseConnection): PostgresConnection {
  if (!(connection instanceof PostgresConnection)) throw new Error("cannot use the connection: it is not PostgreSQL's");
  return connection;
}
