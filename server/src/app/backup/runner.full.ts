import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Schedule } from "#stores/jobs/index.ts";
import { systemClock } from "#kernel/time.ts";
import { openMetadata } from "#stores/metadata/index.ts";
import { BackupRunner } from "./index.ts";

let directory: string;
let dataDir: string;
let to: string;
let runner: BackupRunner;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "mooring-runner-"));
  [dataDir, to] = [join(directory, "data"), join(directory, "backups")];
  await (await openMetadata({ url: undefined, dataDir, clock: systemClock })).close();
  runner = runnerWith({});
});

afterEach(async () => {
  await runner.stop();
  rmSync(directory, { recursive: true });
});

function runnerWith(config: { database_url?: string; backup_dir?: string | null }): BackupRunner {
  const log = { info: () => undefined, error: () => undefined };
  const none = { database_url: null, backup_interval_hours: null, backup_keep: 7 };
  return new BackupRunner({
    schedule: new Schedule(systemClock),
    config: { data_dir: dataDir, backup_dir: to, ...none, ...config },
    clock: systemClock,
    log,
  });
}

async function ended(): Promise<void> {
  for (const untilMs = performance.now() + 30_000; runner.state().running !== null;) {
    assert.ok(performance.now() < untilMs, "it does not end");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("a backup runs after the request, and is listed as good when it ends", async () => {
  await runner.begin();
  await assert.rejects(runner.begin(), /already running/);
  await ended();
  const [made, ...others] = await runner.list();
  assert.deepEqual(others, []);
  assert.equal(made?.isRunning, false);
  assert.equal(made.manifest?.files, 1);
  assert.equal(runner.state().failure, null);
  assert.equal(await runner.delete(made.name), true);
  assert.deepEqual(readdirSync(to), []);
});

test("a failure is described until a backup succeeds", async () => {
  writeFileSync(to, "a file in its place");
  await runner.begin();
  await ended();
  assert.match(runner.state().failure?.detail ?? "", /the backup was not made: .*(EEXIST|ENOTDIR)/);
  rmSync(to);
  mkdirSync(to);
  await runner.begin();
  await ended();
  assert.equal(runner.state().failure, null);
});

test("a stop ends a running backup", async () => {
  await runner.begin();
  await runner.stop();
  assert.equal(runner.state().running, null);
});

test("an error says why there is no backup: no directory, or the records of another server", async () => {
  for (const [config, why] of [
    [{ backup_dir: null }, /set backup_dir/],
    [{ database_url: "postgres://db" }, /PostgreSQL/],
  ] as const) {
    const other = runnerWith(config);
    assert.match(other.state().reason ?? "", why);
    await assert.rejects(other.begin(), why);
    assert.equal(await other.delete("mooring-20261122T181500Z"), false);
  }
});
