import assert from "node:assert/strict";
import { systemClock } from "#kernel/time.ts";
import { openMetadata, type MetadataStore, type Writer } from "../../index.ts";
import { openPostgres } from "../../postgres/store.ts";
import { openSqlite } from "../../sqlite/store.ts";
import { waitsOf, type Waits } from "../../waits.ts";

/** An empty database of a driver. */
export interface TestDatabase {
  url: string | undefined;
  dataDir: string;
  /** Whether a second store gets the notifications of this one. */
  sharesNotifications: boolean;
  /** Returns the connections, locks and files that closed stores have left behind by mistake. */
  leftovers(): Promise<string[]>;
  remove(): Promise<void>;
}

/** Cases by name. The store is open on an empty database, and is closed afterwards. */
export type StoreCases = Readonly<Record<string, (store: MetadataStore, database: TestDatabase) => Promise<void>>>;
/** Cases that open and close stores themselves, by name. */
export type DatabaseCases = Readonly<Record<string, (database: TestDatabase) => Promise<void>>>;

const DEADLINE_MS = 10_000;

export function openStore({ url, dataDir }: TestDatabase): Promise<MetadataStore> {
  return openMetadata({ url, dataDir, clock: systemClock });
}

/** Opens a store with limits that an operator cannot set. */
export function openStoreWith({ url, dataDir }: TestDatabase, some: Partial<Waits>): Promise<MetadataStore> {
  const waits = { ...waitsOf(), ...some };
  if (url === undefined) return openSqlite({ dataDir, clock: systemClock, waits });
  return openPostgres({ url, clock: systemClock, waits });
}

export async function addNode(tx: Writer, number: number): Promise<void> {
  await tx
    .insertInto("node")
    .values({ id: `node_${number}`, applied_seq: number, started_at: 0, seen_at: 0 })
    .execute();
}

export async function nodeNumbers(db: MetadataStore["read"]): Promise<number[]> {
  const rows = await db.selectFrom("node").select("applied_seq").orderBy("applied_seq").execute();
  return rows.map((row) => row.applied_seq);
}

export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail("it should have been refused"),
    (error: unknown) => error,
  );
}

export async function within(promise: Promise<void>, what: string): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} did not come`)), DEADLINE_MS);
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
