import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { GroupCommit } from "./group-commit.ts";
import { SqliteWriter } from "./writer.ts";

test("a turn belongs to the waiting caller, not to a caller that arrives when the turn is passed on", async () => {
  await withWriter(async (writer) => {
    const groups = new GroupCommit(writer);
    const order: string[] = [];
    await groups.begin();
    const waiting = groups.begin().then(() => order.push("waiting"));
    groups.undo();
    const late = groups.begin().then(() => order.push("late"));
    await waiting;
    await writer.turn({ opens: false, statements: [{ sql: "select 1", parameters: [] }] }); // Long enough for a caller that does not wait.
    assert.deepEqual(order, ["waiting"]);
    const committed = groups.commit();
    await late;
    await groups.commit();
    await committed;
  });
});

test("waiting transactions share one COMMIT, 64 at most", async () => {
  await withWriter(async (writer) => {
    const commits = countSteps(writer, "commit");
    const groups = new GroupCommit(writer);
    const transaction = async (): Promise<void> => {
      await groups.begin();
      await groups.commit();
    };
    await Promise.all(Array.from({ length: 130 }, transaction));
    assert.ok(commits() >= 3, "130 do not fit into two groups of 64");
    const before = commits();
    await transaction();
    assert.equal(commits(), before + 1, "a single transaction does not wait for others");
    await Promise.all(Array.from({ length: 10 }, transaction));
    assert.ok(commits() - before <= 5, "ten concurrent transactions do not commit one by one");
  });
});

async function withWriter(use: (writer: SqliteWriter) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "mooring-groups-"));
  const writer = await SqliteWriter.start({ path: join(directory, "test.db"), busyTimeoutMs: 1000 });
  try {
    await use(writer);
  } finally {
    await writer.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Lets the real writer take every step, and counts one kind of step. */
function countSteps(writer: SqliteWriter, counted: "commit"): () => number {
  let count = 0;
  const step = writer.step.bind(writer);
  writer.step = (name) => {
    if (name === counted) count += 1;
    return step(name);
  };
  return () => count;
}
