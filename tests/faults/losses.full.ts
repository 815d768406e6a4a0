/** Bad days without an alert: each page is followed on a server whose data, database or laptop is lost. */
import assert from "node:assert/strict";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { mooring } from "../fixtures/process.ts";
import { missingPrometheus } from "../fixtures/prometheus.ts";
import { postgresMissing, startPostgres } from "../fixtures/postgres-server.ts";
import { ingested, logEntry, rows } from "../fixtures/telemetry.ts";
import { BAD_DAYS } from "../fixtures/page.ts";
import { NO_CHROMIUM } from "../portal/browser.ts";
import { followPage } from "./fault.ts";
import { startMachine, type Machine, type MachineOptions } from "./machine.ts";

const skip = missingPrometheus() || NO_CHROMIUM;

/** Starts a machine with one log entry in its backup, and copies of both keys in `/etc/mooring`. */
async function backedUp(options: MachineOptions = {}): Promise<Machine> {
  const machine = await startMachine(({ backups }) => ({
    ...options,
    settings: { backup_dir: backups, backup_interval_hours: 0, ...options.settings },
  }));
  const { dataDir, etc, backups, server } = machine;
  await ingested(server, await machine.token(), "logs", [logEntry("kept")]);
  const made = await mooring(["backup", "--to", backups, "--data-dir", dataDir], { environment: server.environment });
  assert.equal(made.code, 0, made.stderr);
  for (const key of ["backup.key", "master.key"]) copyFileSync(join(dataDir, key), join(etc, key));
  return machine;
}

async function assertKept(machine: Machine): Promise<void> {
  const found = await rows<{ n: number }>(
    machine.server,
    await machine.token(),
    "SELECT count(*) AS n FROM logs WHERE message = 'kept'",
  );
  assert.deepEqual(found, [{ n: 1 }]);
}

test("the data directory is lost: the page restores it from the backup", { skip }, async () => {
  const machine = await backedUp();
  try {
    await machine.server.kill();
    rmSync(join(machine.dataDir, "mooring.db"));
    rmSync(join(machine.dataDir, "telemetry"), { recursive: true });
    await followPage(machine, `${BAD_DAYS}data-directory-lost.md`);
    await assertKept(machine);
  } finally {
    await machine.dispose();
  }
});

test("an upgrade failed: the page restores the backup from before", { skip }, async () => {
  const machine = await backedUp();
  try {
    await followPage(machine, `${BAD_DAYS}failed-upgrade.md`);
    await assertKept(machine);
  } finally {
    await machine.dispose();
  }
});

test(
  "the database is gone: the page restores it into another one",
  { skip: skip || (postgresMissing() ?? false) },
  async () => {
    const postgres = await startPostgres();
    const environment = {
      MOORING_DATABASE_URL: await postgres.createDatabase("present"),
    };
    const machine = await backedUp({ environment });
    try {
      await postgres.dropDatabase("present");
      await followPage(machine, `${BAD_DAYS}database-gone.md`, {
        NEW_DATABASE_URL: await postgres.createDatabase("another"),
      });
      await assertKept(machine);
    } finally {
      await machine.dispose();
      await postgres.stop();
    }
  },
);

test("a laptop was stolen: the page ends its sessions and rotates its credentials", { skip }, async () => {
  const machine = await startMachine(() => ({}));
  try {
    const tab = await machine.portal.open();
    await tab.go("/instance");
    await followPage(machine, `${BAD_DAYS}stolen-laptop.md`, { PERSON: machine.home.owner.email });
    const { origin } = machine.server;
    const answer = await tab.page.request.post(`${origin}/api/session/token`, {
      data: { organization: machine.home.org.slug },
      headers: { origin },
    });
    assert.ok(answer.status() >= 400, "the session of the laptop has no access");
    await tab.close();
  } finally {
    await machine.dispose();
  }
});
