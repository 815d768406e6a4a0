import assert from "node:assert/strict";
import { addNode, nodeNumbers, openStore, type DatabaseCases, type StoreCases } from "./harness.ts";
import { killWhileWriting } from "./kill.ts";

/** Closing a store, and killing its process. */
export const LIFE: StoreCases = {
  "close waits for the transactions under way and refuses the next": async (store, database) => {
    const writes = Promise.all(Array.from({ length: 50 }, (_, number) => store.write((tx) => addNode(tx, number))));
    await store.close();
    await writes;
    await assert.rejects(
      store.write((tx) => addNode(tx, 99)),
      /the metadata store is closed/,
    );
    await assert.rejects(store.ping());
    const again = await openStore(database);
    assert.equal((await nodeNumbers(again.read)).length, 50);
    await again.close();
  },
};

export const KILLS: DatabaseCases = {
  "acknowledged writes survive five kills of their process, and no transaction is applied in part": async (
    database,
  ) => {
    await (await openStore(database)).close();
    const acknowledged = new Set<number>();
    for (let round = 1; round <= 5; round++) {
      for (const number of await killWhileWriting(database, round * 1_000_000)) acknowledged.add(number);
      const store = await openStore(database);
      const kept = new Set(await nodeNumbers(store.read));
      assert.deepEqual(
        [...acknowledged].filter((number) => !kept.has(number)),
        [],
      );
      const seconds = await store.read.selectFrom("telemetry_progress").select("compacted_seq").execute();
      assert.deepEqual(new Set(seconds.map((row) => row.compacted_seq)), kept);
      await store.close();
    }
    assert.ok(acknowledged.size >= 250);
  },
};
