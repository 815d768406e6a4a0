import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock } from "#kernel/time.ts";
import { openMetadata } from "#stores/metadata/index.ts";
import { Schedule, createJobs, jobKinds, unparkJobs } from "./index.ts";
import { CLAIMS_MAX } from "./store.ts";

const CHILD = fileURLToPath(new URL("./testing/dying-child.ts", import.meta.url));

test("a job that ends several servers is parked, and runs again when an operator resumes it", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-parking-"));
  const metadata = await openMetadata({ url: undefined, dataDir, clock: systemClock });
  const jobs = createJobs({
    schedule: new Schedule(systemClock),
    metadata,
    clock: systemClock,
    log: { warn: () => {} },
    leaseMs: 200,
    pollMs: 20,
  });
  await metadata.write((tx) => jobs.put(tx, { kind: "deadly", key: "k", group: "g", dueAtMs: 0 }));
  const server = () => spawnSync(process.execPath, [CHILD, dataDir], { timeout: 60_000 }).status;
  for (let i = 0; i < CLAIMS_MAX; i++) assert.equal(server(), 7, `server ${i + 1} ends in the job`);
  assert.equal(server(), 0, "the next server does not get the job");
  const [kind] = await jobKinds(metadata.read);
  assert.deepEqual([kind?.parked, kind?.waiting, kind?.nextAtMs], [1, 0, null]);
  assert.match(kind?.lastError ?? "", /parked: 5 runs in a row did not end/);
  let ran = 0;
  const run = async () => {
    ran += 1;
    return { dueAtMs: null };
  };
  assert.equal(await metadata.write((tx) => unparkJobs(tx, "deadly", systemClock.nowMs())), 1);
  jobs.start([{ kind: "deadly", concurrency: 1, concurrencyPerGroup: 1, run, retryMs: () => 0 }]);
  const deadline = performance.now() + 20_000;
  while ((await jobKinds(metadata.read)).length > 0) {
    assert.ok(performance.now() < deadline, "it did not run");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(ran, 1);
  await jobs.stop();
  await metadata.close();
  rmSync(dataDir, { recursive: true });
});
