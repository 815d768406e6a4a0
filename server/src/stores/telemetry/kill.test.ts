import assert from "node:assert/strict";
import { test } from "node:test";
import { batchRows, KILL_ORGANIZATIONS, runAndKill } from "./testing/kill.ts";
import { fileCounts, openTestStore, readMessages, temporaryDirectory } from "./testing/store.ts";

const KILLS = 20;
const PLAIN_MS_MAX = 200;
/** The process that compacts needs some time to start. */
const COMPACTING_MS_MAX = 1200;

test(`after ${KILLS} kills under load everything acknowledged is there, nothing twice, no batch in part`, async () => {
  await using dir = await temporaryDirectory();
  const acknowledged: string[] = [];
  for (let run = 0; run < KILLS; run++) {
    const compacting = run % 2 === 1;
    const killAfterMs = Math.random() * (compacting ? COMPACTING_MS_MAX : PLAIN_MS_MAX);
    acknowledged.push(...(await runAndKill({ dataDir: dir.path, run, compacting, killAfterMs })));
  }
  const store = await openTestStore(dir.path);
  const found = await countedRows(store.rows);
  assert.ok(acknowledged.length > KILLS * 16, `only ${acknowledged.length} batches were acknowledged`);
  let parquet = 0;
  for (const orgId of KILL_ORGANIZATIONS) parquet += (await fileCounts(store.rows, orgId)).parquet;
  assert.ok(parquet > 0, "nothing was compacted: the kills did not hit what they should");
  for (const [name, rows] of found) assert.equal(rows.size, expectedRows(name), `batch ${name} is there in part`);
  const lost = acknowledged.filter((name) => !found.has(name));
  assert.deepEqual(lost, []);
  // What was flushed but not yet answered for may be there too: one batch for each writer and kill at most.
  assert.ok(found.size - acknowledged.length <= KILLS * 16);
  await store.close();
});

/** For each batch the numbers of its rows; fails when a row is there twice. */
async function countedRows(rows: Parameters<typeof readMessages>[0]): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  for (const orgId of KILL_ORGANIZATIONS) {
    for (const message of await readMessages(rows, orgId)) {
      const [name = "", number = ""] = message.split("/");
      const numbers = found.get(name) ?? new Set();
      assert.ok(!numbers.has(number), `${message} is there twice`);
      found.set(name, numbers.add(number));
    }
  }
  return found;
}

function expectedRows(name: string): number {
  const [, writer, n] = name.split("-").map(Number);
  assert.ok(writer !== undefined && n !== undefined);
  return batchRows(writer, n);
}
