import { writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { batchRows, killBatch, KILL_EVENTS, KILL_WRITERS } from "./kill.ts";
import { openTestStore, recordingLog, testSettings } from "./store.ts";

/**
 * The process that is killed. Its writers append to two organizations. Prints each acknowledged batch, and compactions
 * and merges. Arguments: data directory, number of the run, `busy` (with compactions and merges) or `plain`.
 */
const PAUSE_MS = 5;
const KIB = 1024;

const [dataDir, run, mode] = process.argv.slice(2);
if (dataDir === undefined || run === undefined) throw new Error("usage: kill-child.ts DIR RUN busy|plain");

const checkEveryMs = mode === "busy" ? 20 : 0;
const settings = testSettings();
const log = {
  ...recordingLog(),
  info: (_fields: object, message: string) => {
    if (KILL_EVENTS.includes(message)) writeSync(1, `#${message}\n`);
  },
};
const { rows } = await openTestStore(dataDir, {
  log,
  settings: {
    ...settings,
    segmentBytes: 256 * KIB,
    hotFileBytes: 16 * KIB,
    hotMemoryBytes: 64 * KIB,
    compaction: { ...settings.compaction, hotBytes: 48 * KIB, checkEveryMs },
    merge: { ...settings.merge, fanIn: 3, checkEveryMs },
  },
});

async function write(writer: number): Promise<void> {
  for (let n = 0; ; n++) {
    const batch = killBatch(`${run}-${writer}-${n}`, batchRows(writer, n));
    await rows.append(batch);
    writeSync(1, `${run}-${writer}-${n}\n`);
    await delay(PAUSE_MS);
  }
}

await Promise.all(Array.from({ length: KILL_WRITERS }, (_, writer) => write(writer)));
