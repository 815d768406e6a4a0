/** Tests that a clock that is ahead ends no lock. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ClockGuard } from "#stores/clock/index.ts";
import { createS3 } from "../create.ts";
import { ConfigCache, runLifecycle } from "../testing/lifecycle.ts";
import { fails } from "../testing/fails.ts";
import { newBucket, openS3Ground, SILENT, type S3Ground } from "../testing/ground.ts";
import type { ObjectVersion, S3Caller } from "../types/index.ts";
import { Schedule } from "#stores/jobs/index.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let g: S3Ground;
let caller: S3Caller;
let guard: ClockGuard;
let aheadMs = 0;
let elapsedMs = 0;

before(async () => {
  g = await openS3Ground();
  caller = await g.key();
  const { dataDir, metadata, clock } = g.ground;
  guard = new ClockGuard({
    schedule: new Schedule(clock),
    dataDir,
    metadata,
    clock: { nowMs: () => clock.nowMs() + aheadMs + elapsedMs },
    realTime: { bootId: null, elapsedMs: () => elapsedMs },
    log: SILENT,
  });
  await guard.start();
});
after(async () => {
  await guard.stop();
  await g.close();
});

test("with the clock 40 days ahead, a lock of 30 days prevents every deletion; it ends once the operator accepts the time", async () => {
  const deps = { ...g.deps, clock: guard };
  const s3 = createS3(deps);
  const bucket = await newBucket(g, caller, { objectLock: true });
  await s3.buckets.configure(caller, bucket, {
    kind: "lifecycle",
    value: [{ id: "r", enabled: true, filter: {}, noncurrentExpiration: { days: 1 } }],
  });
  const retention = { mode: "COMPLIANCE", untilMs: guard.nowMs() + 30 * DAY } as const;
  const locked: ObjectVersion = await g.put(caller, bucket, "k", "x", { retention });
  await g.put(caller, bucket, "k", "y");
  const name = { key: "k", versionId: locked.versionId };
  aheadMs = 40 * DAY;
  assert.equal(guard.isTrusted(), false);
  await fails("AccessDenied", s3.objects.delete(caller, bucket, name));
  const [many] = await s3.objects.deleteMany(caller, bucket, [name]);
  assert.ok(many !== undefined && "error" in many);
  await fails(
    "AccessDenied",
    s3.objects.setRetention(caller, bucket, name, { retention: null, bypassGovernance: true }),
  );
  const shorter = { ...retention, untilMs: retention.untilMs - DAY };
  await fails(
    "AccessDenied",
    s3.objects.setRetention(caller, bucket, name, { retention: shorter, bypassGovernance: true }),
  );
  await runLifecycle({ ...deps, configs: new ConfigCache() }, bucket.id, new AbortController().signal);
  assert.equal((await s3.objects.head(bucket, name)).versionId, locked.versionId);
  assert.ok((guard.state().held.get("s3_locks") ?? 0) > 0, "the refused deletions were counted");
  guard.accept();
  elapsedMs += 2 * HOUR;
  await s3.objects.delete(caller, bucket, name);
  await fails("NoSuchVersion", s3.objects.head(bucket, name));
});

test("an object without a lock can be deleted even if the clock is wrong", async () => {
  aheadMs += 40 * DAY;
  assert.equal(guard.isTrusted(), false);
  const s3 = createS3({ ...g.deps, clock: guard });
  const bucket = await newBucket(g, caller, { objectLock: true });
  const free = await g.put(caller, bucket, "free", "x");
  await s3.objects.delete(caller, bucket, { key: "free", versionId: free.versionId });
});
