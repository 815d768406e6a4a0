import type { PostgresPool, PostgresPoolClient } from "kysely";
import { Pool, types, type ClientConfig, type CustomTypesConfig, type PoolClient } from "pg";
import { asAnswer } from "../errors.ts";
import { MIGRATION_DEADLINE_MS } from "../migrate.ts";
import { TRANSACTION_DEADLINE_MS } from "../transactions.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_CONNECTION_MS = 30_000;
const INT8 = 20;
const BYTEA = 17;
const NUMERIC = 1700;

/** Values as SQLite gives them: numbers for every integer and for sums of them, plain bytes for bytes. */
const VALUES: CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    const parse = types.getTypeParser(oid, format) as (text: string) => unknown;
    if (oid === INT8) return parseInteger;
    if (oid === NUMERIC) return Number;
    if (oid === BYTEA) return (text: string) => new Uint8Array(parse(text) as Buffer);
    return parse;
  },
};

/** Settings of every connection. The statement limit holds on the server, so that it outlives this process. */
export function clientSettings(url: string, applicationName: string): ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: VALUES,
  };
}

export interface PoolOptions {
  url: string;
  connectionsMax: number;
  /** Makes the server refuse every change. */
  readOnly: boolean;
}

/** A pool of connections that are made as they are needed. */
export function openPool({ url, connectionsMax, readOnly }: PoolOptions): PostgresPool {
  const pool = new Pool({
    ...clientSettings(url, "mooring"),
    ...(readOnly ? { options: "-c default_transaction_read_only=on" } : {}),
    max: connectionsMax,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    statement_timeout: TRANSACTION_DEADLINE_MS,
    idle_in_transaction_session_timeout: MIGRATION_DEADLINE_MS,
  });
  // A connection that breaks while nobody waits for it says so by an event, which would end the process if nobody listened;
  // the pool replaces it, and the next statement on it fails.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return { connect: () => connect(pool), end: () => pool.end(), options: {} };
}

async function connect(pool: Pool): Promise<PostgresPoolClient> {
  const client = await pool.connect().catch(rethrow);
  return {
    query: queryOf(client),
    release: (discard) => client.release(discard),
  };
}

/** Cursors, the other thing that Kysely's type lets `query` take, are refused: rows are read in pages. */
function queryOf(client: PoolClient): PostgresPoolClient["query"] {
  const query = async (statement: unknown, parameters: unknown[] = []): Promise<unknown> => {
    if (typeof statement !== "string") throw new Error("cannot stream rows: read them in pages by key");
    return client.query(statement, parameters.map(storable)).catch(rethrow);
  };
  return query as PostgresPoolClient["query"];
}

/** PostgreSQL's text can't hold NUL. A caller's text with one finds nothing, as in SQLite, and is no fault of ours. */
function storable(value: unknown): unknown {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
}

/** PostgreSQL puts the values of the row that it refused into `detail` and `where`: they don't belong in a log. */
function rethrow(error: unknown): never {
  if (error instanceof Error) {
    for (const field of ["detail", "where", "internalQuery"]) Reflect.deleteProperty(error, field);
  }
  throw asAnswer(error);
}

function parseInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error("cannot read an integer of the database: it is 2^53 or more");
  return value;
}
