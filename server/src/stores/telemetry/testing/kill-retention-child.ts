import { writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import {
  RETENTION_EVENTS,
  RETENTION_ORG,
  RETENTION_WRITERS,
  retentionBatch,
  retentionClock,
  retentionSettings,
  victimOf,
} from "./kill-retention.ts";
import { requestErasure } from "./retention.ts";
import { openTestStore, recordingLog } from "./store.ts";

/**
 * The process that is killed. Its writers append rows; some are past their retention, and some belong to a person whose
 * erasure is requested a moment later. Prints acknowledged batches and the store's actions. Arguments: data directory,
 * number of the run.
 */
const PAUSE_MS = 8;
const VICTIM_MS = 1000;

const [dataDir, run] = process.argv.slice(2);
if (dataDir === undefined || run === undefined) throw new Error("usage: kill-retention-child.ts DIR RUN");

const log = {
  ...recordingLog(),
  info: (_fields: object, message: string) => {
    if (RETENTION_EVENTS.includes(message)) writeSync(1, `#${message}\n`);
  },
};
const { rows, metadata } = await openTestStore(dataDir, {
  log,
  clock: retentionClock,
  settings: retentionSettings(20),
});

let victim = 0;
const inFlight = new Map<number, number>();

async function write(writer: number): Promise<void> {
  for (let n = 0; ; n++) {
    const of = victim;
    inFlight.set(of, (inFlight.get(of) ?? 0) + 1);
    const name = `${run}-${writer}-${n}-${of}`;
    await rows.append(retentionBatch(name));
    inFlight.set(of, (inFlight.get(of) ?? 0) - 1);
    writeSync(1, `${name}\n`);
    await delay(PAUSE_MS);
  }
}

/** Requests a person's erasure once all of that person's rows are acknowledged. */
async function erase(): Promise<void> {
  for (;;) {
    await delay(VICTIM_MS);
    const whose = victim++;
    while ((inFlight.get(whose) ?? 0) > 0) await delay(1);
    const user = victimOf(`${run}-0-0-${whose}`);
    const where = `attributes->>'user' = '${user}' and timestamp < '2027-01-01'`;
    const match = whose % 2 === 0 ? { where } : { attributes: { user } };
    await requestErasure(metadata, RETENTION_ORG, ["logs"], match, { digest: user });
  }
}

await Promise.all([erase(), ...Array.from({ length: RETENTION_WRITERS }, (_, writer) => write(writer))]);
