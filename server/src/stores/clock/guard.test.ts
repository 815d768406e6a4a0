import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { openMetadata, type MetadataStore } from "#stores/metadata/index.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import { ClockGuard, HOLD_MS } from "./guard.ts";
import { systemRealTime } from "./real-time.ts";
import { leaveAcceptance } from "./state.ts";
import { Schedule } from "#stores/jobs/index.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 23);

let dataDir: string;
let metadata: MetadataStore;
let wallMs: number;
let realMs: number;
const lines: { message: string; fields: object }[] = [];
const note = (fields: object, message: string): void => void lines.push({ message, fields });
const guards: ClockGuard[] = [];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "mooring-clock-"));
  [wallMs, realMs] = [START, 0];
  lines.length = 0;
  metadata = await openMetadata({ url: undefined, dataDir, clock: { nowMs: () => wallMs } });
});
afterEach(async () => {
  for (const guard of guards.splice(0)) await guard.stop();
  await metadata.close();
  rmSync(dataDir, { recursive: true });
});

async function started(bootId: string | null = "boot-1", from: MetadataStore = metadata): Promise<ClockGuard> {
  const realTime = { bootId, elapsedMs: () => realMs };
  const log = { info: note, warn: note };
  const guard = new ClockGuard({
    schedule: new Schedule({ nowMs: () => wallMs }),
    dataDir,
    metadata: from,
    clock: { nowMs: () => wallMs },
    realTime,
    log,
  });
  await guard.start();
  guards.push(guard);
  return guard;
}

function pass(ms: number): void {
  wallMs += ms;
  realMs += ms;
}

test("time that passes is trusted, for any duration", async () => {
  const guard = await started();
  pass(400 * DAY);
  assert.equal(guard.deletionTime("file_trash"), wallMs);
});

test("a jump ahead holds deletions, logged and counted; they continue when the clock is right again", async () => {
  const guard = await started();
  wallMs += 2 * HOUR;
  assert.equal(guard.deletionTime("file_trash"), null);
  assert.equal(guard.deletionTime("file_trash"), null);
  assert.equal(guard.state().held.get("file_trash"), 2);
  assert.match(guard.state().reason ?? "", /jumped 2 h ahead/);
  assert.ok(lines.some(({ message }) => message.startsWith("the clock is far ahead")));
  const told = lines.filter(({ message }) => message.startsWith("a deletion waits"));
  assert.deepEqual(
    told.map(({ fields }) => (fields as { deletion: string }).deletion),
    ["file_trash"],
    "each once",
  );
  wallMs -= 2 * HOUR;
  assert.notEqual(guard.deletionTime("file_trash"), null);
});

test("small steps are accepted, but add up", async () => {
  const guard = await started();
  for (let i = 0; i < 7; i++) {
    wallMs += 10 * 60_000;
    await guard.look();
  }
  assert.equal(guard.isTrusted(), false, "seven steps of ten minutes");
});

test("the clock is trusted after a day of steady time; restarts do not shorten that day, and jumps restart it", async () => {
  let guard = await started();
  wallMs += 40 * DAY;
  assert.equal(guard.isTrusted(), false);
  pass(HOLD_MS / 2);
  await guard.look();
  await guard.stop();
  pass(10);
  guard = await started();
  assert.equal(guard.isTrusted(), false, "a restart does not end the doubt");
  pass(HOLD_MS / 2 - HOUR);
  await guard.look();
  assert.equal(guard.isTrusted(), false);
  pass(2 * HOUR);
  await guard.look();
  assert.equal(guard.isTrusted(), true);
  wallMs += 2 * HOUR;
  assert.equal(guard.isTrusted(), false, "the next jump");
  pass(HOLD_MS / 2);
  wallMs += 2 * HOUR;
  assert.equal(guard.isTrusted(), false);
  pass(HOLD_MS / 2 + HOUR);
  await guard.look();
  assert.equal(guard.isTrusted(), false, "another jump restarted the day");
});

test("a jump while no server ran is detected if the machine kept running", async () => {
  await (await started()).stop();
  pass(40 * DAY);
  assert.equal((await started()).isTrusted(), true, "40 days really passed");
  await Promise.all(guards.splice(0).map((guard) => guard.stop()));
  wallMs += 2 * HOUR;
  assert.equal((await started()).isTrusted(), false);
});

test("after more than a day without the machine, deletions wait, give the reason, and can be accepted", async () => {
  await (await started("boot-1")).stop();
  wallMs += 20 * HOUR;
  realMs = 0;
  assert.equal((await started("boot-2")).isTrusted(), true, "a night");
  await Promise.all(guards.splice(0).map((guard) => guard.stop()));
  wallMs += 40 * DAY;
  realMs = 0;
  const guard = await started("boot-3");
  assert.equal(guard.deletionTime("images"), null);
  assert.match(guard.state().reason ?? "", /40 days ahead .* the machine was off, or the clock is wrong/);
  leaveAcceptance(dataDir);
  await guard.look();
  assert.notEqual(guard.deletionTime("images"), null);
});

test("records of a directory that no server checked yet are evidence of the time", async () => {
  await metadata.write((tx) =>
    tx.insertInto("node").values({ id: "node_1", applied_seq: 1, started_at: START, seen_at: START }).execute(),
  );
  wallMs += 40 * DAY;
  assert.equal((await started()).isTrusted(), false);
});

test("a clock that was never set is not trusted, and leaves no trace", async () => {
  wallMs = Date.UTC(1970, 0, 2);
  const guard = await started();
  assert.match(guard.state().reason ?? "", /before this version was made/);
  wallMs = START;
  assert.equal(guard.isTrusted(), true, "corrected");
});

// SQLite has no clock.
for (const { skip } of DATABASES.filter(({ kind }) => kind === "postgres")) {
  test("deletions wait until a clock ahead of the database's agrees with it", { skip }, async () => {
    [wallMs, realMs] = [Date.now(), 0];
    const url = await postgresUrl(dataDir);
    const shared = await openMetadata({ url, dataDir, clock: { nowMs: () => wallMs } });
    const guard = await started("boot-1", shared);
    assert.equal(guard.isTrusted(), true);
    pass(2 * HOUR);
    await guard.look();
    assert.match(guard.state().reason ?? "", /2 h ahead of the database's/);
    guard.accept();
    assert.equal(guard.isTrusted(), false, "one of the clocks is wrong: accepting does not help");
    wallMs = Date.now();
    await guard.look();
    assert.equal(guard.isTrusted(), true);
    await guard.stop();
    await shared.close();
  });
}

test("this machine reports the time that has passed", async () => {
  const realTime = systemRealTime();
  const before = realTime.elapsedMs();
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const passed = realTime.elapsedMs() - before;
  assert.ok(passed >= 1000 && passed < 60_000, `${passed} ms`);
});
