/** The demo: from ordinary log files to the three answers that it promises. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const DEMO = fileURLToPath(new URL("../../tools/demo.ts", import.meta.url));
const TENANT = "0123456789abcdef0123456789abcdef";

let directory = "";
before(() => {
  directory = mkdtempSync(join(tmpdir(), "mooring-tour-"));
});
after(() => rmSync(directory, { recursive: true, force: true }));

function minute(at: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const second = String(i % 60).padStart(2, "0");
    const path = `/v2/${TENANT}/servers/${i}`;
    return `2026-05-16 00:${String(at).padStart(2, "0")}:${second}.008 2931 INFO api [req-${i} - - - - -] 192.0.2.1 "GET ${path} HTTP/1.1" status: 200 len: 5 time: 0.${at}00`;
  });
}

function login(address: string, message = "Failed password for root"): string {
  return `Dec 10 06:55:48 web1 sshd[9]: ${message} from ${address} port 1 ssh2`;
}

test("without a server it starts a temporary one, answers the three questions, and leaves nothing behind", () => {
  const logs = mkdtempSync(join(directory, "logs-"));
  writeFileSync(join(logs, "api.log"), [...minute(3, 40), ...minute(4, 20), ...minute(5, 30)].join("\n"));
  const repeated = `Dec 10 06:55:50 web1 sshd[9]: message repeated 5 times: [ Failed password for root from 192.0.2.8 port 1 ssh2]`;
  writeFileSync(
    join(logs, "auth.log"),
    [login("192.0.2.7"), login("192.0.2.8"), repeated, login("192.0.2.9", "Accepted password for ann")].join("\n"),
  );
  const temporary = mkdtempSync(join(directory, "tmp-"));
  const words = [DEMO, "--logs", logs, "--data-dir", join(directory, "none")];
  const environment = { PATH: process.env["PATH"] ?? "", HOME: temporary, TMPDIR: temporary };
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    encoding: "utf8",
    env: environment,
    timeout: 90_000,
  });
  assert.equal(status, 0, stderr + stdout);
  assert.match(stdout, /00:03:00Z +40 .*\n.*00:05:00Z +30 .*\n.*00:04:00Z +20 /);
  assert.match(stdout, /192\.0\.2\.8 +6 .*\n +192\.0\.2\.7 +1 .*\n +\(2 rows/);
  assert.match(stdout, /GET +\/v2\/\{id\}\/servers\/\{id\} +90 /);
  assert.match(stdout, /94 log entries/);
  assert.doesNotMatch(stdout + stderr, /mrcs_/, "no secret is shown");
  assert.deepEqual(readdirSync(temporary), []);
});
