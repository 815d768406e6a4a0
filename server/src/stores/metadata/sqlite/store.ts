import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { DEFAULT_RECORD_LIMITS, type RecordLimits } from "#kernel/record-limits.ts";
import type { Clock } from "#kernel/time.ts";
import { Listeners } from "../listeners.ts";
import { migrate, MIGRATION_DEADLINE_MS, MigrationsPending, type Migrating } from "../migrate.ts";
import type { Tables } from "../schema.ts";
import { Transactions } from "../transactions.ts";
import type { MetadataStore, NotifyChannel, Writer } from "../types.ts";
import { waitsOf, type Waits } from "../waits.ts";
import { readDialect, sqliteDeferrer, StaleRead, writeDialect } from "./dialect.ts";
import { GroupCommit } from "./group-commit.ts";
import { Readers } from "./readers.ts";
import { SqliteWriter } from "./writer.ts";

export interface SqliteOptions {
  dataDir: string;
  clock: Clock;
  waits?: Waits;
  limits?: RecordLimits;
  /** How long a group gathers transactions before its commit. Default 10 ms. */
  groupMsMax?: number;
  migrating?: Migrating | undefined;
}

/** Opens `mooring.db` in the data directory. Other processes may have it open at the same time. */
export async function openSqlite({
  dataDir,
  clock,
  waits = waitsOf(),
  limits = DEFAULT_RECORD_LIMITS,
  groupMsMax,
  migrating,
}: SqliteOptions): Promise<MetadataStore> {
  const path = join(dataDir, "mooring.db");
  if (migrating === "refuse" && !existsSync(path)) throw new MigrationsPending([], true);
  const writer = await openFile(path, waits.fileMs);
  const groups = new GroupCommit(writer, groupMsMax);
  try {
    const migrations = sqliteTransactions(groups, { read: null, deadlineMs: MIGRATION_DEADLINE_MS });
    await migrate({ dialect: "sqlite", write: (work) => migrations.run(work), lock: async () => {}, clock, migrating });
    return storeOver(path, { writer, groups, waits, limits });
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** `read` reads committed state. Null: nothing is read ahead. */
export function sqliteTransactions(
  groups: GroupCommit,
  { read, deadlineMs }: { read: Kysely<Tables> | null; deadlineMs: number },
): Transactions {
  const db = new Kysely<Tables>({ dialect: writeDialect(groups) });
  return new Transactions({ db, deferrerOf: sqliteDeferrer(read), deadlineMs });
}

async function openFile(path: string, busyTimeoutMs: number): Promise<SqliteWriter> {
  try {
    makePrivate(path);
    return await SqliteWriter.start({ path, busyTimeoutMs });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot open the metadata database ${path}: ${reason}`, { cause: error });
  }
}

/** Sets the file's mode before SQLite opens it, because SQLite's other files copy that mode. */
function makePrivate(path: string): void {
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
}

function storeOver(
  path: string,
  { writer, groups, waits, limits }: { writer: SqliteWriter; groups: GroupCommit; waits: Waits; limits: RecordLimits },
): MetadataStore {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  const readers = new Readers({ path, timeoutMs: waits.readMs });
  const read = new Kysely<Tables>({ dialect: readDialect(db, readers) });
  const transactions = sqliteTransactions(groups, { read, deadlineMs: waits.transactionMs });
  return {
    dialect: "sqlite",
    limits,
    read,
    died: writer.died,
    writerQueue: () => writer.waiting,
    ...notifyingWrites(transactions),
    lock: async () => {},
    compact: () => groups.between("compact"),
    ping: async () => {
      writer.assertAlive();
      await sql`select 1`.execute(read);
    },
    close: async () => {
      await transactions.close();
      await readers.close();
      if (db.isOpen) db.close();
      await writer.close();
    },
  };
}

/** Notifies within this process only. Another process with the database open finds the changes when it polls. */
function notifyingWrites(transactions: Transactions): Pick<MetadataStore, "write" | "notify" | "onNotify"> {
  const listeners = new Listeners();
  const noted = new WeakMap<Writer, Set<NotifyChannel>>();
  return {
    write: async (work) => {
      let channels = new Set<NotifyChannel>();
      const noting = (tx: Writer): ReturnType<typeof work> => {
        noted.set(tx, (channels = new Set()));
        return work(tx);
      };
      const result = await transactions.run(noting).catch((error: unknown) => {
        if (!(error instanceof StaleRead)) throw error;
        return transactions.run(noting, { isAgain: true });
      });
      for (const channel of channels) listeners.call(channel);
      return result;
    },
    notify: async (tx, channel) => {
      const channels = noted.get(tx);
      if (channels === undefined) throw new Error("cannot notify: the transaction is not one of this store");
      channels.add(channel);
    },
    onNotify: (channel, listener) => listeners.add(channel, listener),
  };
}
