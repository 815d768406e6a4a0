import assert from "node:assert/strict";
import { isUniqueViolation, type Writer } from "../../index.ts";
import { addNode, nodeNumbers, rejection, type StoreCases } from "./harness.ts";
import { ROWS } from "./rows.ts";

function deferNode(tx: Writer, number: number): void {
  tx.defer(tx.insertInto("node").values({ id: `node_${number}`, applied_seq: number, started_at: 0, seen_at: 0 }));
}

function seenAt(tx: Writer, id: string): Promise<{ seen_at: number }[]> {
  return tx.readAhead(tx.selectFrom("node").select("seen_at").where("id", "=", id));
}

/** Deferred statements, and rows that are read ahead. */
export const DEFERRING: StoreCases = {
  "a deferred statement runs in its place, before awaited ones and before the commit": async (store) => {
    await store.write(async (tx) => {
      deferNode(tx, 1);
      deferNode(tx, 2);
      assert.deepEqual(await nodeNumbers(tx), [1, 2]);
      tx.defer(tx.updateTable("node").set({ seen_at: 7 }).where("id", "=", "node_1"));
      await addNode(tx, 3);
      deferNode(tx, 4);
    });
    assert.deepEqual(await nodeNumbers(store.read), [1, 2, 3, 4]);
    const row = await store.read.selectFrom("node").select("seen_at").where("id", "=", "node_1").executeTakeFirst();
    assert.deepEqual(row, { seen_at: 7 });
  },

  "a failed deferred statement rolls back its transaction, with or without a later awaited one": async (store) => {
    await store.write((tx) => addNode(tx, 1));
    const atCommit = store.write(async (tx) => {
      await addNode(tx, 2);
      deferNode(tx, 1);
      deferNode(tx, 3);
    });
    assert.ok(isUniqueViolation(await rejection(atCommit), "node", ["id"]));
    const atNext = store.write(async (tx) => {
      deferNode(tx, 4);
      deferNode(tx, 1);
      await addNode(tx, 5);
    });
    assert.ok(isUniqueViolation(await rejection(atNext), "node", ["id"]));
    assert.deepEqual(await nodeNumbers(store.read), [1]);
  },

  "a deferred statement that changes an unexpected number of rows fails the transaction with the given error": async (
    store,
  ) => {
    const failure = new Error("nobody is there");
    const touch = (tx: Writer, id: string): void =>
      tx.defer(tx.updateTable("node").set({ seen_at: 1 }).where("id", "=", id), { changes: 1, orElse: () => failure });
    await store.write(async (tx) => {
      deferNode(tx, 1);
      touch(tx, "node_1");
    });
    const refused = [
      store.write(async (tx) => {
        deferNode(tx, 2);
        touch(tx, "node_9");
      }),
      store.write(async (tx) => {
        touch(tx, "node_9");
        await addNode(tx, 3);
      }),
    ];
    // Both are awaited from the start, because either may fail first.
    assert.deepEqual(await Promise.all(refused.map(rejection)), [failure, failure]);
    assert.deepEqual(await nodeNumbers(store.read), [1]);
  },

  "of many concurrent transactions, only those with a failed statement fail": async (store) => {
    await store.write((tx) => addNode(tx, 7));
    const write = (number: number): Promise<void> =>
      store.write(async (tx) => {
        if (number % 3 === 0) await tx.selectFrom("node").select("id").limit(1).execute();
        deferNode(tx, number);
        if (number % 10 === 0) deferNode(tx, 7);
      });
    const results = await Promise.allSettled(Array.from({ length: 200 }, (_, index) => write(1000 + index)));
    const failed = results.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
    const expected = Array.from({ length: 20 }, (_, index) => index * 10);
    assert.deepEqual(failed, expected);
    assert.equal((await nodeNumbers(store.read)).length, 181);
  },

  "a read ahead equals the read in the transaction, with many transactions at once": async (store) => {
    await store.write((tx) => addNode(tx, 1));
    const increment = (): Promise<void> =>
      store.write(async (tx) => {
        await store.lock(tx, "counter");
        const [row] = await seenAt(tx, "node_1");
        tx.defer(
          tx
            .updateTable("node")
            .set({ seen_at: (row?.seen_at ?? 0) + 1 })
            .where("id", "=", "node_1"),
        );
      });
    await Promise.all(Array.from({ length: 100 }, increment));
    const row = await store.read.selectFrom("node").select("seen_at").where("id", "=", "node_1").executeTakeFirst();
    assert.deepEqual(row, { seen_at: 100 });
  },

  "a read ahead sees the transaction's own writes": async (store) => {
    await store.write(async (tx) => {
      assert.deepEqual(await seenAt(tx, "node_1"), []);
      deferNode(tx, 1);
      assert.deepEqual(await seenAt(tx, "node_1"), [{ seen_at: 0 }]);
    });
    assert.deepEqual(await nodeNumbers(store.read), [1]);
  },

  "work whose rows read ahead have changed runs again, and notifies once": async (store) => {
    await store.write((tx) => addNode(tx, 1));
    let heard = 0;
    const stop = store.onNotify("job", () => (heard += 1));
    const read = Promise.withResolvers<void>();
    const seen: number[] = [];
    const first = store.write(async (tx) => {
      await store.lock(tx, "order");
      tx.defer(tx.updateTable("node").set({ seen_at: 1 }).where("id", "=", "node_1"));
      read.resolve();
    });
    const second = read.promise.then(() =>
      store.write(async (tx) => {
        await store.lock(tx, "order");
        await store.notify(tx, "job");
        const [row] = await seenAt(tx, "node_1");
        seen.push(row?.seen_at ?? -1);
        tx.defer(tx.updateTable("node").set({ applied_seq: 2 }).where("id", "=", "node_1"));
      }),
    );
    await Promise.all([first, second]);
    assert.equal(seen.at(-1), 1, "the second run must see the other transaction's write");
    assert.deepEqual(await nodeNumbers(store.read), [2]);
    const deadline = performance.now() + 10_000;
    while (heard === 0 && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
    stop();
    assert.equal(heard, 1);
  },

  "a view of a larger buffer arrives as that view only": async (store) => {
    const bytes = Buffer.from("before the key after").subarray(7, 14);
    const row = { ...ROWS.signing_key, kid: "kid_part", private_key: bytes };
    await store.write(async (tx) => tx.defer(tx.insertInto("signing_key").values(row)));
    const query = store.read.selectFrom("signing_key").select("private_key").where("kid", "=", "kid_part");
    assert.deepEqual(Buffer.from((await query.executeTakeFirstOrThrow()).private_key).toString(), "the key");
  },
};
