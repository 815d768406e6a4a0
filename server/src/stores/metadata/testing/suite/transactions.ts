import assert from "node:assert/strict";
import { isUniqueViolation, uniqueViolation } from "../../errors.ts";
import type { Writer } from "../../index.ts";
import { addNode, nodeNumbers, rejection, type StoreCases } from "./harness.ts";
import { ROWS } from "./rows.ts";

/** Single transactions. */
export const TRANSACTIONS: StoreCases = {
  "a read sees committed rows, and a transaction also sees its own": async (store) => {
    await store.write(async (tx) => {
      await addNode(tx, 1);
      assert.deepEqual(await nodeNumbers(tx), [1]);
      assert.deepEqual(await nodeNumbers(store.read), []);
    });
    assert.deepEqual(await nodeNumbers(store.read), [1]);
  },

  "an exception rolls back the whole transaction and reaches the caller": async (store) => {
    const failure = Object.assign(new Error("changed my mind"), { code: "ENOENT" });
    const work = async (tx: Writer): Promise<void> => {
      await addNode(tx, 1);
      throw failure;
    };
    await assert.rejects(store.write(work), (error) => error === failure);
    assert.deepEqual(await nodeNumbers(store.read), []);
  },

  "a duplicate key has its own error, with its table and columns": async (store) => {
    const project = { ...ROWS.project, id: "proj_other" };
    await store.write((tx) => tx.insertInto("organization").values(ROWS.organization).execute());
    await store.write((tx) => tx.insertInto("project").values(ROWS.project).execute());
    const slugTaken = await rejection(store.write((tx) => tx.insertInto("project").values(project).execute()));
    assert.deepEqual(uniqueViolation(slugTaken), { table: "project", columns: ["org_id", "slug"] });
    assert.ok(isUniqueViolation(slugTaken, "project", ["org_id", "slug"]));
    assert.ok(!isUniqueViolation(slugTaken, "project", ["id"]));
    assert.ok(!JSON.stringify(slugTaken).includes(project.slug), "the error must not contain the refused values");
    const idTaken = await rejection(
      store.write((tx) =>
        tx
          .insertInto("project")
          .values({ ...ROWS.project, slug: "other" })
          .execute(),
      ),
    );
    assert.deepEqual(uniqueViolation(idTaken), { table: "project", columns: ["id"] });
    const orphan = await rejection(
      store.write((tx) =>
        tx
          .insertInto("project")
          .values({ ...project, org_id: "org_none" })
          .execute(),
      ),
    );
    assert.equal(uniqueViolation(orphan), undefined);
  },

  "a failed statement rolls back the transaction, even when its error is caught": async (store) => {
    await store.write((tx) => addNode(tx, 1));
    const outcomes: PromiseSettledResult<void>["status"][] = [];
    const goOn = async (tx: Writer): Promise<void> => {
      for (const number of [2, 1, 3]) {
        const [outcome] = await Promise.allSettled([addNode(tx, number)]);
        outcomes.push(outcome.status);
      }
    };
    await assert.rejects(store.write(goOn));
    assert.deepEqual(outcomes, ["fulfilled", "rejected", "rejected"]);
    assert.deepEqual(await nodeNumbers(store.read), [1]);
  },

  "a write returns the number of changed rows": async (store) => {
    await store.write(async (tx) => {
      for (const number of [1, 2, 3]) await addNode(tx, number);
      const [updated] = await tx.updateTable("node").set({ seen_at: 5 }).where("applied_seq", ">", 1).execute();
      assert.equal(updated?.numUpdatedRows, 2n);
      const [deleted] = await tx.deleteFrom("node").where("applied_seq", "=", 9).execute();
      assert.equal(deleted?.numDeletedRows, 0n);
      const returned = await tx.deleteFrom("node").where("applied_seq", "=", 1).returning("id").execute();
      assert.deepEqual(returned, [{ id: "node_1" }]);
    });
  },

  "nested transactions and writes through the reader are refused": async (store) => {
    const nested = store.write(() => store.write((tx) => addNode(tx, 1)));
    await assert.rejects(nested, /already runs in one/);
    await assert.rejects(addNode(store.read as Writer, 1));
    assert.deepEqual(await nodeNumbers(store.read), []);
  },
};
