import assert from "node:assert/strict";
import { test } from "node:test";
import { batchOf, readEach } from "../testing/rows.ts";
import { openTestStore, temporaryDirectory } from "../testing/store.ts";

const COLUMNS = `level, severity::INTEGER AS severity`;
const line = (level: string, i: number): object => ({
  timestamp: `2024-11-20T08:00:0${i}.000000Z`,
  level,
  message: "m",
});

test("severities of older rows are derived when rows are compacted and merged", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path);
  // Rows in the log of an older server have no severity.
  await store.rows.append(batchOf("logs", [line("Wrn", 0), line("nobody's", 1)]));
  await store.rows.compact();
  const derived = [
    { level: "Wrn", severity: 13 },
    { level: "nobody's", severity: null },
  ];
  assert.deepEqual((await readEach(store.rows, "logs", COLUMNS))[0]?.rows, derived);
  await store.close();
});

test("older files are marked, and a merge removes the mark", async () => {
  await using dir = await temporaryDirectory();
  const first = await openTestStore(dir.path);
  for (let i = 0; i < 8; i++) {
    await first.rows.append(batchOf("logs", [line("info", i)]));
    await first.rows.compact();
  }
  await first.metadata.write(async (tx) => {
    await tx.updateTable("telemetry_file").set({ spellings: 0 }).execute();
  });
  await first.close();
  const store = await openTestStore(dir.path);
  const areOld = async (): Promise<boolean[]> => {
    const { tables, release } = await store.rows.snapshot("org_a");
    release();
    return tables.logs.parquet.map(({ oldSpellings }) => oldSpellings === true);
  };
  assert.deepEqual(
    await areOld(),
    Array.from({ length: 8 }, () => true),
  );
  await store.rows.merge();
  assert.deepEqual(await areOld(), [false]);
  await store.close();
});
