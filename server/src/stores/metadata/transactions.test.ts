import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "kysely";
import { GroupCommit } from "./sqlite/group-commit.ts";
import { sqliteTransactions } from "./sqlite/store.ts";
import { SqliteWriter } from "./sqlite/writer.ts";
import type { Transactions } from "./transactions.ts";
import type { Writer } from "./types.ts";

test("a transaction that exceeds its deadline is rolled back, and waiting ones continue", async () => {
  await withTransactions(async (transactions) => {
    const { promise: never } = Promise.withResolvers<void>();
    let late: Writer | undefined;
    const hung = transactions.run(async (tx) => {
      late = tx;
      await add(tx, 1);
      await never;
    });
    const next = transactions.run((tx) => add(tx, 2));
    await assert.rejects(hung, /took longer than 50 ms/);
    await next;
    assert.ok(late !== undefined);
    await assert.rejects(add(late, 3), "a late write is refused");
    assert.deepEqual(await numbers(transactions), [2]);
  }, 50);
});

test("work that a transaction started and left running may write later", async () => {
  await withTransactions(async (transactions) => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let later: Promise<void> | undefined;
    await transactions.run(async (tx) => {
      await add(tx, 1);
      later = ended.then(() => transactions.run((other) => add(other, 2)));
    });
    end();
    await later;
    assert.deepEqual(await numbers(transactions), [1, 2]);
  });
});

async function withTransactions(
  use: (transactions: Transactions) => Promise<void>,
  deadlineMs = 30_000,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "mooring-transactions-"));
  const writer = await SqliteWriter.start({ path: join(directory, "test.db"), busyTimeoutMs: 1000 });
  const transactions = sqliteTransactions(new GroupCommit(writer), { read: null, deadlineMs });
  try {
    await transactions.run(async (tx) => void (await sql`create table t (n integer) strict`.execute(tx)));
    await use(transactions);
    await transactions.close();
  } finally {
    await writer.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function add(tx: Writer, number: number): Promise<void> {
  await sql`insert into t values (${number})`.execute(tx);
}

async function numbers(transactions: Transactions): Promise<number[]> {
  return transactions.run(async (tx) =>
    (await sql<{ n: number }>`select n from t order by n`.execute(tx)).rows.map(({ n }) => n),
  );
}
