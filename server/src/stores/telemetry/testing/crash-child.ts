import { trustedClock } from "#kernel/testing.ts";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { systemClock } from "#kernel/time.ts";
import { openMetadata, type MetadataStore } from "#stores/metadata/index.ts";
import { openRows } from "../rows.ts";
import { recordingLog, testSettings } from "./store.ts";
import { Schedule } from "#stores/jobs/index.ts";

/**
 * Merges all files, and exits abruptly at one step: before a change of the disk, or before or after a commit. Prints
 * the number of steps if it reaches the end. Arguments: data directory, number of the step.
 */
const [dataDir, last] = process.argv.slice(2);
if (dataDir === undefined || last === undefined) throw new Error("usage: crash-child.ts DIR STEP");

let armed = false;
let steps = 0;

function step(): void {
  if (!armed) return;
  steps += 1;
  if (steps === Number(last)) process.kill(process.pid, "SIGKILL");
}

for (const name of ["open", "mkdir", "rename", "rm", "writeFile"] as const) {
  const real = fs[name] as (...args: unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...args: unknown[]) => {
      step();
      return real(...args);
    },
  });
}
syncBuiltinESMExports();

const metadata = await openMetadata({ url: undefined, dataDir, clock: trustedClock(systemClock) });
const stepping = Object.create(metadata, {
  read: { get: () => metadata.read },
  write: {
    value: async (work: Parameters<MetadataStore["write"]>[0]) => {
      step();
      const result = await metadata.write(work);
      step();
      return result;
    },
  },
}) as MetadataStore;
const settings = testSettings();
const merge = { ...settings.merge, fanIn: 3 };
const rows = await openRows({
  schedule: new Schedule(systemClock),
  dataDir,
  metadata: stepping,
  clock: trustedClock(systemClock),
  log: recordingLog(),
  settings: { ...settings, merge },
});
armed = true;
await rows.merge();
const left = () => metadata.read.selectFrom("telemetry_file").select("id").execute();
const deadline = performance.now() + 20_000;
while ((await left()).length > 1 && performance.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
armed = false;
await rows.close();
await metadata.close();
console.log(steps);
