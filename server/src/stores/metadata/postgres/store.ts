import { setTimeout as delay } from "node:timers/promises";
import { Kysely, PostgresDialect, sql, type PostgresPool } from "kysely";
import type { Clock } from "#kernel/time.ts";
import { Listeners } from "../listeners.ts";
import { migrate, MIGRATION_DEADLINE_MS } from "../migrate.ts";
import type { Tables } from "../schema.ts";
import { Transactions } from "../transactions.ts";
import type { MetadataStore, Writer } from "../types.ts";
import { postgresDeferrer } from "./deferrer.ts";
import { DATABASE_CHANNEL, DatabaseListener } from "./listener.ts";
import { clientSettings, openPool } from "./pool.ts";

const READ_CONNECTIONS_MAX = 10;
const WRITE_CONNECTIONS_MAX = 10;
const ATTEMPTS_MAX = 6; // the first one and 5 retries
const RETRY_MS_MAX = 20;
const SERIALIZATION_FAILURE = "40001";
const DEADLOCK_DETECTED = "40P01";

export interface PostgresOptions {
  url: string;
  clock: Clock;
}

/** Opens a PostgreSQL database that any number of nodes may share. */
export async function openPostgres({ url, clock }: PostgresOptions): Promise<MetadataStore> {
  // Two pools, so that a transaction that reads outside itself never waits for a connection that only it could free.
  const reads = openPool({ url, connectionsMax: READ_CONNECTIONS_MAX, readOnly: true });
  const writes = openPool({ url, connectionsMax: WRITE_CONNECTIONS_MAX, readOnly: false });
  const read = kyselyOver(reads);
  const transactions = new Transactions(kyselyOver(writes), async (tx) => postgresDeferrer(tx));
  const listeners = new Listeners();
  const listener = new DatabaseListener(clientSettings(url, "mooring-listener"), listeners);
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closed ??= closeAll(transactions, [() => listener.close(), () => reads.end(), () => writes.end()]));
  try {
    await migrate({ dialect: "postgres", write: (work) => migrationWrite(transactions, work), lock, clock });
    await listener.start();
  } catch (error) {
    await close();
    throw new Error(`cannot open the metadata database ${withoutSecrets(url)}: ${reasonOf(error)}`, { cause: error });
  }
  return {
    dialect: "postgres",
    read,
    write: (work) => writeWithRetries(transactions, work),
    lock,
    notify: async (tx, channel) => void (await sql`select pg_notify(${DATABASE_CHANNEL}, ${channel})`.execute(tx)),
    onNotify: (channel, callback) => listeners.add(channel, callback),
    ping: async () => void (await sql`select 1`.execute(read)),
    close,
  };
}

function kyselyOver(pool: PostgresPool): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** Ends the pools by hand: Kysely's `destroy` would leave one alone that was not used yet. */
async function closeAll(transactions: Transactions, rest: readonly (() => Promise<void>)[]): Promise<void> {
  await transactions.close();
  await Promise.all(rest.map((end) => end()));
}

async function lock(tx: Writer, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

async function migrationWrite<T>(transactions: Transactions, work: (tx: Writer) => Promise<T>): Promise<T> {
  return transactions.run(
    async (tx) => {
      await sql`set local statement_timeout = ${sql.lit(MIGRATION_DEADLINE_MS)}`.execute(tx);
      return work(tx);
    },
    { deadlineMs: MIGRATION_DEADLINE_MS },
  );
}

async function writeWithRetries<T>(transactions: Transactions, work: (tx: Writer) => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await transactions.run(work);
    } catch (error) {
      if (!isTransient(error) || attempts === ATTEMPTS_MAX) throw error;
    }
    await delay(Math.random() * RETRY_MS_MAX * attempts);
  }
}

function isTransient(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}

function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return "(its URL is not valid)";
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

/** A `Problem` speaks to callers; here the operator wants to know what is behind it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message === "" ? String((error as { code?: unknown }).code) : error.message; // AggregateError has a code only
}
