import assert from "node:assert/strict";
import { addNode, nodeNumbers, openStore, within, type StoreCases } from "./harness.ts";

/** Many transactions at once. */
export const CONCURRENCY: StoreCases = {
  "500 transactions at once all land, and one that fails in the middle fails alone": async (store) => {
    const write = (number: number): Promise<void> =>
      store.write(async (tx) => {
        await addNode(tx, number);
        await tx.updateTable("node").set({ seen_at: number }).where("id", "=", `node_${number}`).execute();
        if (number === 250) throw new Error("not this one");
      });
    const results = await Promise.allSettled(Array.from({ length: 500 }, (_, index) => write(index)));
    assert.deepEqual(
      results.flatMap(({ status }, index) => (status === "rejected" ? [index] : [])),
      [250],
    );
    const kept = Array.from({ length: 500 }, (_, index) => index).filter((index) => index !== 250);
    assert.deepEqual(await nodeNumbers(store.read), kept);
  },

  "writers that write again at once do not conflict": async (store) => {
    let next = 0;
    const loop = async (): Promise<void> => {
      while (next < 400) {
        const number = next++;
        await store
          .write(async (tx) => {
            await addNode(tx, number);
            const own = await tx.updateTable("node").set({ seen_at: 1 }).where("applied_seq", "=", number).execute();
            assert.equal(own[0]?.numUpdatedRows, 1n);
            if (number % 7 === 0) throw new Error("not this one");
          })
          .catch((error: unknown) => assert.equal((error as Error).message, "not this one"));
      }
    };
    await Promise.all(Array.from({ length: 16 }, loop));
    const kept = Array.from({ length: 400 }, (_, index) => index).filter((index) => index % 7 !== 0);
    assert.deepEqual(await nodeNumbers(store.read), kept);
  },

  "under a lock, a sequence has the order of its commits": async (store) => {
    const append = (): Promise<void> =>
      store.write(async (tx) => {
        await store.lock(tx, "sequence");
        const last = await tx
          .selectFrom("node")
          .select((eb) => eb.fn.max("applied_seq").as("seq"))
          .executeTakeFirst();
        await addNode(tx, Number(last?.seq ?? 0) + 1);
      });
    const appends = Promise.all(Array.from({ length: 200 }, append));
    let seen: number[] = [];
    while (seen.length < 200) {
      seen = await nodeNumbers(store.read);
      assert.deepEqual(
        seen,
        Array.from({ length: seen.length }, (_, index) => index + 1),
        "no number may be seen before a smaller one",
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
    await appends;
  },

  "a notification arrives after the commit, and only then": async (store, database) => {
    const second = database.sharesNotifications ? await openStore(database) : store;
    let heard = 0;
    let heardBy = Promise.withResolvers<void>();
    const stop = second.onNotify("auth_change", () => {
      heard += 1;
      heardBy.resolve();
    });
    const notify = (number: number): Promise<void> =>
      store.write(async (tx) => {
        await store.notify(tx, "auth_change");
        await addNode(tx, number);
      });
    await notify(1);
    await within(heardBy.promise, "the first notification");
    heardBy = Promise.withResolvers();
    await assert.rejects(notify(1)); // this transaction rolls back, so its notification must not arrive
    await notify(2);
    await within(heardBy.promise, "the second notification");
    assert.equal(heard, 2);
    stop();
    if (second !== store) await second.close();
  },
};
