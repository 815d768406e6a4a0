import { setTimeout as delay } from "node:timers/promises";
import { Kysely, sql } from "kysely";
import { DEFAULT_RECORD_LIMITS, type RecordLimits } from "#kernel/record-limits.ts";
import type { Clock } from "#kernel/time.ts";
import { asAnswer, isTransient } from "../errors.ts";
import { Listeners } from "../listeners.ts";
import { migrate, MIGRATION_DEADLINE_MS, type Migrating } from "../migrate.ts";
import type { Tables } from "../schema.ts";
import { Transactions } from "../transactions.ts";
import type { MetadataStore, Writer } from "../types.ts";
import { waitsOf, type Waits } from "../waits.ts";
import { postgresDeferrer } from "./deferrer.ts";
import { postgresDialect } from "./dialect.ts";
import { DATABASE_CHANNEL, DatabaseListener } from "./listener.ts";
import { clientSettings, openPool, type ConnectionPool } from "./pool.ts";
import { checkRequirements } from "./requirements.ts";

/** The connections of a node without the one that listens for notifications. */
export interface Connections {
  readonly read: number;
  readonly write: number;
}

const DEFAULT_CONNECTIONS: Connections = { read: 10, write: 10 };
const REQUIREMENT_MS_MAX = 10_000;
const ATTEMPTS_MAX = 6; // one attempt and 5 retries
const RETRY_MS_MAX = 20;
/** A migration may wait for another node's migration, and may run until its own deadline. */
const MIGRATION_WAITS = {
  connectionMs: MIGRATION_DEADLINE_MS,
  lockMs: 0,
  requestMs: MIGRATION_DEADLINE_MS,
  silenceMs: MIGRATION_DEADLINE_MS,
  transactionMs: MIGRATION_DEADLINE_MS,
};

export interface PostgresOptions {
  url: string;
  clock: Clock;
  waits?: Waits;
  migrating?: Migrating | undefined;
  limits?: RecordLimits;
  connections?: Connections | undefined;
}

/** Opens a PostgreSQL database, which any number of nodes may share. */
export async function openPostgres({
  url,
  clock,
  waits = waitsOf(),
  migrating,
  limits = DEFAULT_RECORD_LIMITS,
  connections = DEFAULT_CONNECTIONS,
}: PostgresOptions): Promise<MetadataStore> {
  // Two pools, because a transaction may also read over another connection. If all connections were busy with
  // transactions that wait for such a read, none would become free.
  const reads = openPool({
    url,
    connectionsMax: connections.read,
    readOnly: true,
    waits: { ...waits, transactionMs: waits.readMs },
  });
  const writes = openPool({ url, connectionsMax: connections.write, readOnly: false, waits });
  const read = kyselyOver(reads);
  const transactions = transactionsOver(writes, waits.transactionMs);
  const listeners = new Listeners();
  const listener = new DatabaseListener(clientSettings(url, "mooring-listener"), listeners);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closed ??= closeAll(transactions, [() => listener.close(), () => reads.end(), () => writes.end()]));
  try {
    await checkRequirements({ ...clientSettings(url, "mooring"), query_timeout: REQUIREMENT_MS_MAX });
    await migrateOver(url, { clock, migrating });
    await listener.start();
  } catch (error) {
    await close();
    throw new Error(`cannot open the metadata database ${withoutSecrets(url)}: ${reasonOf(error)}`, { cause: error });
  }
  return {
    dialect: "postgres",
    limits,
    read,
    write: (work) => writeWithRetries(transactions, work, waits),
    lock,
    notify: async (tx, channel) => void (await sql`select pg_notify(${DATABASE_CHANNEL}, ${channel})`.execute(tx)),
    onNotify: (channel, callback) => listeners.add(channel, callback),
    compact: () => compactOver(url),
    ping: async () => void (await sql`select 1`.execute(read)),
    close,
  };
}

function kyselyOver(pool: ConnectionPool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: postgresDialect(pool) });
}

function transactionsOver(pool: ConnectionPool, deadlineMs: number): Transactions {
  return new Transactions({ db: kyselyOver(pool), deferrerOf: postgresDeferrer, deadlineMs });
}

/** Migrates over a separate connection with its own limits. */
async function migrateOver(
  url: string,
  { clock, migrating }: Pick<PostgresOptions, "clock" | "migrating">,
): Promise<void> {
  const pool = openPool({ url, connectionsMax: 1, readOnly: false, waits: MIGRATION_WAITS });
  const transactions = transactionsOver(pool, MIGRATION_DEADLINE_MS);
  try {
    await migrate({ dialect: "postgres", write: (work) => transactions.run(work), lock, clock, migrating });
  } finally {
    await pool.end();
  }
}

/** VACUUM runs outside of transactions, and may take long. */
async function compactOver(url: string): Promise<void> {
  const pool = openPool({ url, connectionsMax: 1, readOnly: false, waits: MIGRATION_WAITS });
  try {
    await sql`vacuum`.execute(kyselyOver(pool));
  } finally {
    await pool.end();
  }
}

/** Closes the pools directly, because Kysely's `destroy` skips a pool that was never used. */
async function closeAll(transactions: Transactions, rest: readonly (() => Promise<void>)[]): Promise<void> {
  await transactions.close();
  await Promise.all(rest.map((end) => end()));
}

async function lock(tx: Writer, ...names: readonly string[]): Promise<void> {
  const [name] = names;
  if (names.length === 1)
    return void (await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx));
  const list = JSON.stringify(names);
  await sql`select pg_advisory_xact_lock(hashtextextended(name, 0)) from json_array_elements_text(${list}::json) as t (name)`.execute(
    tx,
  );
}

/**
 * Retries until the attempts have taken as long as one wait for a lock may take, so that a caller waits no longer than
 * that.
 */
async function writeWithRetries<T>(
  transactions: Transactions,
  work: (tx: Writer) => Promise<T>,
  { lockMs }: Waits,
): Promise<T> {
  const beganMs = performance.now();
  for (let attempts = 1; ; attempts++) {
    try {
      return await transactions.run(work);
    } catch (error) {
      const isLast = attempts === ATTEMPTS_MAX || performance.now() - beganMs >= lockMs;
      if (!isTransient(error)) throw error;
      if (isLast) throw asAnswer(error);
    }
    await delay(Math.random() * RETRY_MS_MAX * attempts);
  }
}

function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return "(its URL is not valid)";
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

/** Returns the cause of a `Problem`: its message is for callers, and the operator needs the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message === "" ? String((error as { code?: unknown }).code) : error.message; // AggregateError has only a code
}
