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

/** Kysely on a pool. Each transaction, and each statement outside of one, has a separate `PostgresConnection`. */
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
 * A connection for as long as one transaction has it. A statement that comes when the transaction has ended is refused here: on the
 * connection it would be committed by itself, or be part of the next transaction.
 */
export class PostgresConnection implements DatabaseConnection {
  readonly #connection: PooledConnection;
  #state: "free" | "begun" | "ended" = "free";
  /** The reason of the abort. */
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
    // So PostgreSQL answers a COMMIT after a statement that failed, though its failure was caught.
    if (command === "ROLLBACK") throw new Error("cannot commit the transaction: a statement in it failed");
  }

  /** Kysely calls this after a COMMIT that failed as well. A connection that can't even do this is not used again. */
  async rollback(): Promise<void> {
    this.#state = "ended";
    if (this.#aborted !== undefined) return;
    await this.#connection.query("rollback", []).catch(() => this.#connection.destroy());
  }

  /**
   * Ends the connection at once, and with it the transaction: sent statements are never committed, later ones are
   * refused.
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

  /** @throws Error when nothing of the transaction may be sent any more */
  assertUsable(): void {
    if (this.#aborted !== undefined) throw this.#aborted;
    if (this.#state === "ended") throw new Error("cannot run a statement: the transaction has ended");
  }
}

export function postgresConnection(connection: DatabaseConnection): PostgresConnection {
  if (!(connection instanceof PostgresConnection)) throw new Error("cannot use the connection: it is not PostgreSQL's");
  return connection;
}
