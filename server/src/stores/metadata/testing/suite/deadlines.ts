import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { Problem } from "#kernel/problem.ts";
import type { MetadataStore, Writer } from "../../index.ts";
import { addNode, nodeNumbers, openStoreWith, rejection, type DatabaseCases, type StoreCases } from "./harness.ts";

const DEADLINE_MS = 1_500;

function deferNode(tx: Writer, number: number): void {
  tx.defer(tx.insertInto("node").values({ id: `node_${number}`, applied_seq: number, started_at: 0, seen_at: 0 }));
}

/** Writes after a transaction has expired. On a slow disk this write may miss its own deadline, and is retried. */
async function addLater(store: MetadataStore, number: number, tries = 10): Promise<void> {
  await store
    .write((tx) => addNode(tx, number))
    .catch((error: unknown) => {
      if (tries === 1 || !(error instanceof Problem && error.code === "unavailable")) throw error;
      return addLater(store, number, tries - 1);
    });
}

/** Every kind of statement in a transaction. Each gets the number of the row that it would leave behind. */
const STATEMENTS: readonly ((tx: Writer, number: number) => Promise<unknown>)[] = [
  addNode,
  async (tx, number) => deferNode(tx, number),
  async (tx, number) => {
    deferNode(tx, number);
    return tx.readAhead(tx.selectFrom("node").select("id"));
  },
  async (tx, number) => tx.readAhead(tx.selectFrom("node").select("id").where("applied_seq", "=", number)),
];

async function expired(store: MetadataStore, work: (tx: Writer) => Promise<void>): Promise<void> {
  const error = await rejection(store.write(work));
  assert.ok(error instanceof Problem && error.code === "unavailable", String(error));
}

/** Transactions that pass their deadline while their work continues. */
export const DEADLINES: DatabaseCases = {
  "work past its deadline sends no more statements": async (database) => {
    const store = await openStoreWith(database, { transactionMs: DEADLINE_MS });
    const refused: PromiseSettledResult<unknown>["status"][] = [];
    let goesOn: Promise<void> | undefined;
    await expired(store, async (tx) => {
      await addNode(tx, 1);
      deferNode(tx, 2);
      goesOn = (async () => {
        await delay(DEADLINE_MS * 1.5);
        for (let number = 10; number < 50; number++) {
          const statement = STATEMENTS[number % STATEMENTS.length];
          const [outcome] = await Promise.allSettled([statement?.(tx, number)]);
          refused.push(outcome.status);
        }
      })();
      await goesOn;
    });
    // These transactions may get the connection of the expired one.
    for (let number = 100; number < 130; number++) {
      await addLater(store, number);
      await delay(10);
    }
    await goesOn;
    assert.deepEqual(new Set(refused), new Set(["rejected"]));
    const kept = Array.from({ length: 30 }, (_, index) => 100 + index);
    assert.deepEqual(await nodeNumbers(store.read), kept);
    await store.close();
  },

  "a transaction that expires between its statements changes nothing": async (database) => {
    const store = await openStoreWith(database, { transactionMs: DEADLINE_MS });
    let wasRefused = false;
    let goesOn: Promise<void> | undefined;
    await expired(store, async (tx) => {
      goesOn = (async () => {
        for (let number = 0; !wasRefused; number++) {
          await addNode(tx, number).catch(() => (wasRefused = true));
        }
      })();
      await goesOn;
    });
    await goesOn;
    assert.deepEqual(await nodeNumbers(store.read), []);
    await addLater(store, 1);
    assert.deepEqual(await nodeNumbers(store.read), [1]);
    await store.close();
  },
};

/** Statements that nobody awaits, against the rules. */
export const STRAYS: StoreCases = {
  "a statement that runs after its transaction was rolled back is never committed": async (store) => {
    for (let round = 0; round < 20; round++) {
      const first = round * 10;
      let strays: Promise<unknown> | undefined;
      const work = async (tx: Writer): Promise<void> => {
        strays = Promise.allSettled([1, 2, 3, 4].map((number) => addNode(tx, first + number)));
        throw new Error("changed my mind");
      };
      await assert.rejects(store.write(work), /changed my mind/);
      await strays;
    }
    assert.deepEqual(await nodeNumbers(store.read), []);
  },
};
