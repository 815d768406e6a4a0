import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Schedule } from "#stores/jobs/index.ts";
import { systemClock } from "#kernel/time.ts";
import { openMetadata } from "#stores/metadata/index.ts";
import { loadConfig } from "../config.ts";
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

function runnerWith(settings: { backup_dir?: string | null }): BackupRunner {
  const log = { info: () => undefined, error: () => undefined };
  const config = loadConfig({ file: undefined, environment: {}, flags: {} });
  return new BackupRunner({
    schedule: new Schedule(systemClock),
    config: { ...config, data_dir: dataDir, backup_dir: to, ...settings },
    clock: systemClock,
    log,
  });
}

async function ended(): Promise<void> {
  for (const untilMs = performance.now() + 30_000; (await runner.state()).running !== null;) {
    assert.ok(performance.now() < untilMs, "it does not end");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("a backup runs after the request, and is listed as good when it ends", async () => {
  assert.equal((await runner.state()).key, null);
  await runner.begin();
  await assert.rejects(runner.begin(), /already running/);
  await ended();
  const [made, ...others] = await runner.list();
  assert.deepEqual(others, []);
  assert.equal(made?.fault, null);
  assert.equal(made.made?.files, 1);
  const { failure, key, lastSuccessAt } = await runner.state();
  assert.equal(failure, null);
  assert.equal(key?.confirmed, false);
  assert.equal(lastSuccessAt, made.made.started_at);
  assert.equal((await runnerWith({}).state()).lastSuccessAt, lastSuccessAt, "a restart does not forget it");
  assert.equal(await runner.delete(made.name), true);
  assert.deepEqual(readdirSync(join(to, "backups")), []);
});

test("a failure is described until a backup succeeds", async () => {
  writeFileSync(to, "a file in its place");
  await runner.begin();
  await ended();
  assert.match((await runner.state()).failure?.detail ?? "", /the backup was not made: .*(EEXIST|ENOTDIR)/);
  rmSync(to);
  mkdirSync(to);
  await runner.begin();
  await ended();
  assert.equal((await runner.state()).failure, null);
});

test("a stop ends a running backup", async () => {
  await runner.begin();
  await runner.stop();
  assert.equal((await runner.state()).running, null);
});

test("an error says why there is no backup", async () => {
  const other = runnerWith({ backup_dir: null });
  assert.match((await other.state()).reason ?? "", /set backup_dir/);
  await assert.rejects(other.begin(), /set backup_dir/);
  assert.equal(await other.delete("20261122T181500Z"), false);
});
