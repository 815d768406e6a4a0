import assert from "node:assert/strict";
import { mkdir, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { layoutOf } from "./layout.ts";
import { logBatch, openTestStore, readMessages, temporaryDirectory } from "./testing/store.ts";

const ORG = "org_a";
const DATABASE = ["mooring.db", "mooring.db-wal", "mooring.db-shm"];

test("a start with the wrong database loses neither existing nor new rows", async () => {
  await using dir = await temporaryDirectory();
  const layout = layoutOf(dir.path);
  const parquetFiles = async (root: string): Promise<string[]> =>
    (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".parquet"));

  const first = await openTestStore(dir.path);
  for (const message of ["one", "two", "three"]) await first.rows.append(logBatch(ORG, [message]));
  await first.rows.compact();
  await first.close();
  const second = await openTestStore(dir.path);
  await second.rows.compact(); // The log is empty: only the database knows the file's meaning.
  await second.close();
  assert.deepEqual(await readdir(layout.wal), []);
  const [file = ""] = await parquetFiles(layout.parquet);
  assert.notEqual(file, "");

  const aside = join(dir.path, "aside");
  const move = async (from: string, to: string): Promise<void> => {
    for (const name of DATABASE) await rename(join(from, name), join(to, name)).catch(() => undefined);
  };
  await mkdir(aside);
  await move(dir.path, aside);
  await (await openTestStore(dir.path)).close();
  const wrong = await openTestStore(dir.path);
  await wrong.rows.append(logBatch(ORG, ["meanwhile"]));
  await wrong.close();
  const [kept = ""] = await parquetFiles(layout.quarantine);
  assert.equal(kept, file.split("/").at(-1), "the file is kept aside, not deleted");

  await rename(join(layout.quarantine, kept), join(layout.parquet, file));
  await move(aside, dir.path);
  const right = await openTestStore(dir.path);
  assert.deepEqual((await readMessages(right.rows, ORG)).toSorted(), ["meanwhile", "one", "three", "two"]);
  await right.close();
});
