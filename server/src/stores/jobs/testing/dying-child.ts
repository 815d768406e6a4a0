// A node whose job ends the process. Argument: the data directory. Exits with 7 in the job, or with 0 when the node no
// longer gets the job.
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "#kernel/time.ts";
import { openMetadata } from "#stores/metadata/index.ts";
import { Schedule, countParked, createJobs } from "../index.ts";

const [dataDir = ""] = process.argv.slice(2);
const metadata = await openMetadata({ url: undefined, dataDir, clock: systemClock });
const jobs = createJobs({
  schedule: new Schedule(systemClock),
  metadata,
  clock: systemClock,
  log: { warn: () => {} },
  leaseMs: 200,
  pollMs: 20,
});
jobs.start([
  { kind: "deadly", concurrency: 1, concurrencyPerGroup: 1, run: async () => process.exit(7), retryMs: () => 0 },
]);
while ((await countParked(metadata.read)) === 0) await delay(20);
await jobs.stop();
await metadata.close();
