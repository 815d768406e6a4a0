/** SIGHUP: the log level and the certificates are read again, without cutting connections. */
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get, type RequestOptions } from "node:https";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { makeCertificates } from "../fixtures/certificates.ts";
import { freePort } from "../fixtures/ports.ts";
import { eventually } from "../fixtures/process.ts";
import { showLogs, startServer, type Server } from "../fixtures/server.ts";
import { trustAuthority } from "../fixtures/smoke.ts";

const directory = mkdtempSync(join(tmpdir(), "mooring-reload-"));
const first = made("first");
const undo = trustAuthority(first.caFile);
const pair = { cert: join(directory, "tls.crt"), key: join(directory, "tls.key") };
const settingsFile = join(directory, "settings.json");
let server: Server;
let metrics: string;

showLogs(() => [server]);
before(async () => {
  use(first);
  writeSettings({ log_level: "info" });
  metrics = `127.0.0.1:${await freePort()}`;
  const { cert: tls_cert, key: tls_key } = pair;
  server = await startServer({
    settings: {
      tls_cert,
      tls_key,
      s3_tls_cert: tls_cert,
      s3_tls_key: tls_key,
      syslog_tls_listen: "127.0.0.1:0",
      metrics_listen: metrics,
    },
    environment: { MOORING_CONFIG: settingsFile },
  });
});
after(async () => {
  undo();
  await server.dispose();
  rmSync(directory, { recursive: true, force: true });
});

function made(name: string): ReturnType<typeof makeCertificates> {
  mkdirSync(join(directory, name));
  return makeCertificates(join(directory, name));
}

function use({ certificateFile, keyFile }: { certificateFile: string; keyFile: string }): void {
  copyFileSync(certificateFile, pair.cert);
  copyFileSync(keyFile, pair.key);
}

function writeSettings(settings: object): void {
  writeFileSync(settingsFile, JSON.stringify(settings));
}

const RELOADED = "reloaded the log level and the certificates";

function lines(msg: string): { level: string; settings?: string[]; faults?: number; fault?: string }[] {
  return server
    .stderr()
    .split("\n")
    .filter((line) => line.includes(msg))
    .map((line) => JSON.parse(line) as { level: string });
}

async function reload(): Promise<void> {
  const before = lines(RELOADED).length;
  process.kill(server.pid, "SIGHUP");
  await eventually("the reload", () => (lines(RELOADED).length > before ? true : null), 20_000, 5);
}

/** The fingerprint of the certificate that a new connection gets. */
async function served(origin: string): Promise<string> {
  const { hostname: host, port } = new URL(origin);
  const socket: TLSSocket = connect({ host, port: Number(port), rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

function printOf(certificateFile: string): string {
  return new X509Certificate(readFileSync(certificateFile)).fingerprint256;
}

async function failures(): Promise<string | undefined> {
  const text = await (await fetch(`http://${metrics}/metrics`)).text();
  return /^mooring_config_reload_failures_total (\d+)$/m.exec(text)?.[1];
}

async function status(options: RequestOptions): Promise<number | undefined> {
  const request = get(`${server.origin}/livez`, options);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return response.statusCode;
}

test("all TLS listeners use the new certificate, and open connections continue", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: readFileSync(first.caFile) });
  const sockets = new Set<unknown>();
  agent.on("free", (socket) => sockets.add(socket));
  assert.equal(await status({ agent }), 200);
  const second = made("second");
  use(second);
  await reload();
  const s3 = /^\s*s3\s+(\S+)$/m.exec(server.stdout())?.[1] ?? "";
  const syslog = `tls://${/^\s*syslog\s+tls (\S+)$/m.exec(server.stdout())?.[1]}`;
  for (const origin of [server.origin, s3, server.grpcOrigin, syslog])
    assert.equal(await served(origin), printOf(second.certificateFile), origin);
  assert.equal(await status({ agent }), 200);
  assert.equal(sockets.size, 1, "the same connection");
  agent.destroy();
  assert.equal(await failures(), "0");
  use(first);
  await reload();
});

test("the log level changes, and other changed settings are named", async () => {
  const answered = (): number => lines('"path":"/livez"').length;
  assert.equal(answered(), 0);
  writeSettings({ log_level: "debug", slow_request_ms: 123 });
  await reload();
  assert.deepEqual(lines("changed settings need a restart").at(-1)?.settings, ["slow_request_ms"]);
  assert.equal(await status({ ca: readFileSync(first.caFile) }), 200);
  await eventually("a line of debug", () => (answered() > 0 ? true : null));
  writeSettings({ log_level: "info" });
  await reload();
});

test("wrong settings and a pair that does not match are logged and counted; the old ones stay", async () => {
  const before = await served(server.origin);
  writeSettings({ log_level: "loud" });
  await reload();
  assert.equal(await failures(), "1");
  assert.equal(lines("cannot reload the settings; the old ones stay").length, 1);
  writeSettings({ log_level: "info" });
  copyFileSync(made("other").certificateFile, pair.cert);
  await reload();
  assert.equal(await failures(), "2");
  const faults = lines("cannot use the changed certificate; the old one stays");
  assert.match(faults[0]?.fault ?? "", /does not belong to the key/);
  assert.equal(await served(server.origin), before);
  use(first);
  await reload();
  assert.equal(lines(RELOADED).at(-1)?.faults, 0);
  assert.equal(await failures(), "2");
});
