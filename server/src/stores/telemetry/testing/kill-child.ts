import { writeSync } from "node:fs";
import { openTestStore, testSettings } from "./store.ts";
import { batchRows, killBatch } from "./kill.ts";

/**
 * The process that is killed: 16 writers append to two organizations as fast as they can, and each batch is printed once it
 * is acknowledged. Arguments: data directory, number of the run, `compaction` or `plain`.
 */
const WRITERS = 16;
const KIB = 1024;

const [dataDir, run, mode] = process.argv.slice(2);
if (dataDir === undefined || run === undefined) throw new Error("usage: kill-child.ts DIR RUN compaction|plain");

const compacting = mode === "compaction";
const settings = testSettings();
const { rows } = await openTestStore(dataDir, {
  settings: {
    ...settings,
    segmentBytes: 256 * KIB,
    hotFileBytes: 16 * KIB,
    hotMemoryBytes: 64 * KIB,
    compaction: { ...settings.compaction, hotBytes: 48 * KIB, checkEveryMs: compacting ? 20 : 0 },
  },
});

async function write(writer: number): Promise<void> {
  for (let n = 0; ; n++) {
    const batch = killBatch(`${run}-${writer}-${n}`, batchRows(writer, n));
    await rows.append(batch);
    writeSync(1, `${run}-${writer}-${n}\n`);
  }
}

await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
