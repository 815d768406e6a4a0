/** Faults of the server itself: its certificate, its backups, its jobs, a part that dies, and the sandbox. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { eventually } from "../fixtures/process.ts";
import { playFaults, type Fault } from "./fault.ts";
import type { Machine, Places } from "./machine.ts";

const KILL_WRITER = fileURLToPath(new URL("../fixtures/kill-writer.mjs", import.meta.url));

function makeCertificate({ etc }: Pick<Places, "etc">, days: number): void {
  const words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost".split(" ");
  const files = ["-keyout", join(etc, "s3.key"), "-out", join(etc, "s3.crt"), "-days", String(days)];
  execFileSync("openssl", [...words, ...files, "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], {
    stdio: "pipe",
  });
}

/** Returns the days until the certificate of the S3 gateway expires. */
function daysLeft(machine: Machine): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const socket = connect({ host: "127.0.0.1", port: machine.port("s3_listen"), rejectUnauthorized: false }, () => {
    const { valid_to: end } = socket.getPeerCertificate();
    socket.destroy();
    resolve((Date.parse(end) - Date.now()) / 86_400_000);
  });
  socket.on("error", reject);
  return promise;
}

const certificate: Fault = {
  name: "certificate near its end",
  alert: "MooringCertificateExpires",
  words: /The certificate of s3_listen expires within three days/,
  page: "certificate-expires",
  cause: async (machine) => {
    makeCertificate(machine, 2);
    process.kill(machine.server.pid, "SIGHUP");
  },
  cured: async (machine) => {
    assert.ok((await daysLeft(machine)) > 80);
  },
};

const backup: Fault = {
  name: "backup failing",
  alert: "MooringBackupFails",
  words: /The last backup failed/,
  page: "backup-fails",
  cause: async (machine) => {
    renameSync(machine.backups, `${machine.backups}.mounted`);
    writeFileSync(machine.backups, "not a directory");
    const tab = await machine.portal.open();
    const { origin } = machine.server;
    const begun = await tab.page.request.post(`${origin}/api/instance/backups`, { data: {}, headers: { origin } });
    assert.ok(begun.ok(), await begun.text());
    await tab.close();
    return () => rmSync(`${machine.backups}.mounted`, { recursive: true, force: true });
  },
  cured: async () => {},
};

const job: Fault = {
  name: "job crashing",
  alert: "MooringJobsParked",
  words: /A job was parked/,
  page: "job-crashes",
  // A job whose five runs have ended their servers. That they do so is tested in server/src/stores/jobs/parking.full.ts.
  cause: async ({ dataDir }) => {
    const records = new DatabaseSync(join(dataDir, "mooring.db"), { timeout: 10_000 });
    records.exec(
      "insert into job (id, kind, key, group_key, payload, due_at, fence, attempts, created_at, claims) values ('job_poisoned', 'webhook.hand_on', 'absent', 'absent', '{}', 0, 0, 0, 0, 5)",
    );
    records.close();
  },
  cured: async () => {},
};

const writer: Fault = {
  name: "writer dead",
  alert: "MooringServerDied",
  words: /The server ended by itself and was started again: its records writer died/,
  page: "writer-dead",
  cause: async (machine) => {
    process.kill(machine.server.pid, "SIGUSR2");
    const { code } = await machine.server.exited;
    assert.equal(code, 10, "the server ends by itself");
    await machine.start(); // As systemd does; tests/deploy/systemd.full.ts tests the unit.
  },
  cured: async () => {},
};

/** In a separate namespace no user, mount or network namespace can be created. */
const WITHOUT_NAMESPACES = [
  "unshare",
  "--user",
  "--map-root-user",
  "--",
  "/bin/sh",
  "-c",
  'for n in user mnt net ipc uts; do echo 0 > /proc/sys/user/max_${n}_namespaces || exit 1; done; exec "$@"',
  "sh",
];
const canUnshare = spawnSync("unshare", [...WITHOUT_NAMESPACES.slice(1), "true"]).status === 0;

const dropIn = ({ units }: Pick<Places, "units">): string => join(units, "namespaces.conf");

const sandbox: Fault = {
  name: "sandbox layer missing",
  alert: "MooringSandboxLayerMissing",
  words: /SQL runs without a layer of its sandbox: namespaces/,
  page: "sandbox-missing",
  cause: async (machine) => {
    writeFileSync(dropIn(machine), "[Service]\nRestrictNamespaces=yes\n");
    await machine.server.stop();
    await machine.start();
    // A server looks for the layers with its first statement.
    const asked = await machine.server.call("POST", "/v1/query", {
      token: await machine.token(),
      json: { sql: "SELECT 1" },
    });
    assert.equal(asked.status, 200, asked.text);
  },
  cured: async (machine) => {
    await eventually("SQL to run", async () => {
      const asked = await machine.server.call("POST", "/v1/query", {
        token: await machine.token(),
        json: { sql: "SELECT 1" },
      });
      return asked.status === 200 ? true : null;
    });
  },
};

playFaults(
  (places) => {
    makeCertificate(places, 90);
    return {
      settings: {
        s3_tls_cert: join(places.etc, "s3.crt"),
        s3_tls_key: join(places.etc, "s3.key"),
        backup_dir: places.backups,
        backup_interval_hours: 24,
      },
      environment: { NODE_OPTIONS: `--import ${KILL_WRITER}` },
      // What systemd does by the file beside the unit.
      under: () => (existsSync(dropIn(places)) ? WITHOUT_NAMESPACES : undefined),
    };
  },
  [certificate, backup, job, writer, ...(canUnshare ? [sandbox] : [])],
);
if (!canUnshare) playFaults(() => ({}), [sandbox], "this machine makes no user namespace");
