/**
 * Senders of syslog: rsyslog in every framing, syslog-ng, util-linux' logger and Python's SysLogHandler, also with the
 * configurations that the portal shows. SQL finds their rows. Then the server is killed: rsyslog with a queue loses
 * nothing that the server had not read.
 */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { makeCertificates } from "../fixtures/certificates.ts";
import { newIngestKey } from "../fixtures/ingest-keys.ts";
import { freePorts } from "../fixtures/ports.ts";
import { eventually } from "../fixtures/process.ts";
import { startServer, writeLog, type Client, type Server } from "../fixtures/server.ts";
import { trustAuthority } from "../fixtures/smoke.ts";
import { rows } from "../fixtures/telemetry.ts";
import { configurationOf, replaced, runShell, type AgentPlace } from "./agents.ts";
import { publishedAddresses, run } from "./place.ts";

const directory = mkdtempSync(join(tmpdir(), "mooring-syslog-senders-"));
const dataDir = join(directory, "data");
const { caFile, certificateFile, keyFile: tlsKeyFile } = makeCertificates(directory);
const undoTrust = trustAuthority(caFile);
let server: Server;
let client: Client;
let place: AgentPlace;
let settings: Record<string, string>;
let tcp = 0;
let udp = 0;

before(async () => {
  const [listen = 0, first = 0, second = 0, tls = 0] = await freePorts(4);
  [tcp, udp] = [first, second];
  settings = {
    listen: `127.0.0.1:${listen}`,
    syslog_tcp_listen: `127.0.0.1:${tcp}`,
    syslog_udp_listen: `127.0.0.1:${udp}`,
    syslog_tls_listen: `127.0.0.1:${tls}`,
    tls_cert: certificateFile,
    tls_key: tlsKeyFile,
  };
  server = await startServer({ dataDir, settings });
  const home = await server.bootstrap();
  client = home.credential;
  const key = await newIngestKey(server, home);
  await server.stop();
  const keyFile = join(directory, "key");
  writeFileSync(keyFile, key, { mode: 0o600 });
  server = await start(keyFile);
  place = { key, addresses: await publishedAddresses(server) };
});
after(async () => {
  await server.dispose();
  undoTrust();
  rmSync(directory, { recursive: true, force: true });
});

function start(keyFile = join(directory, "key")): Promise<Server> {
  return startServer({ dataDir, settings, environment: { MOORING_SYSLOG_KEY_FILE: keyFile } });
}

interface Row {
  readonly message: string;
  readonly level: string;
  readonly service: string | null;
  readonly timestamp: string;
  readonly facility: string | null;
  readonly pid: string | null;
}

async function find(id: string, count: number): Promise<readonly Row[]> {
  const sql =
    "SELECT message, level, service, timestamp, attributes->>'facility' AS facility, attributes->>'pid' AS pid FROM logs " +
    `WHERE message LIKE '%${id}%' ORDER BY message`;
  let found: readonly Row[] = [];
  await eventually(`${count} rows of ${id}`, async () => {
    found = await rows<Row>(server, await server.token(client), sql);
    return found.length >= count ? found : null;
  }).catch((error: unknown) => {
    writeLog(server);
    throw new Error(`found ${found.length} rows: ${JSON.stringify(found).slice(0, 1000)}`, { cause: error });
  });
  return found;
}

function assertRows(found: readonly Row[], expected: readonly Partial<Row>[]): void {
  for (const row of found) {
    const awayMs = Math.abs(Date.parse(row.timestamp) - Date.now());
    assert.ok(awayMs < 120_000, `${row.timestamp} is not now`);
  }
  const members = Object.keys(expected[0] ?? {}) as (keyof Row)[];
  const short = found.map((row) => Object.fromEntries(members.map((name) => [name, row[name]])));
  assert.deepEqual(short, expected);
}

const LOGGER = "/usr/bin/logger";

test("util-linux' logger", { skip: existsSync(LOGGER) ? false : "logger is not installed" }, async () => {
  const ways: readonly (readonly [string, readonly string[]])[] = [
    ["udp", ["--udp", "--port", String(udp)]],
    ["tcp", ["--tcp", "--port", String(tcp)]],
    ["tcp-counted", ["--tcp", "--octet-count", "--port", String(tcp)]],
    ["udp-3164", ["--udp", "--rfc3164", "--port", String(udp)]],
    ["tcp-3164", ["--tcp", "--rfc3164", "--port", String(tcp)]],
  ];
  for (const [name, words] of ways) {
    const id = `logger ${name}.`;
    await run(LOGGER, ["--server", "127.0.0.1", ...words, "--tag", "shop", "--id=42", "-p", "daemon.err", id], {
      TZ: "UTC",
    });
    assertRows(await find(id, 1), [{ message: id, level: "error", service: "shop", facility: "daemon", pid: "42" }]);
  }
});

test("logger, as the portal shows it", { skip: existsSync(LOGGER) ? false : "logger is not installed" }, async () => {
  await runShell(configurationOf("logger", place, "night-job"), directory);
  const expected = { message: "backup finished", level: "info", service: "night-job", facility: "daemon" };
  assertRows(await find("backup finished", 1), [expected]);
});

test("Python's SysLogHandler", async () => {
  const script = join(directory, "handler.py");
  writeFileSync(
    script,
    `import logging, logging.handlers, socket
for name, port, kind in (("udp", ${udp}, socket.SOCK_DGRAM), ("tcp", ${tcp}, socket.SOCK_STREAM)):
    handler = logging.handlers.SysLogHandler(("127.0.0.1", port), facility="local3", socktype=kind)
    logger = logging.getLogger(name)
    logger.addHandler(handler)
    for level in ("warning", "critical"):
        getattr(logger, level)("python %s: größe %s", name, level)
    handler.close()
`,
  );
  await run("python3", [script]);
  for (const name of ["udp", "tcp"])
    assertRows(await find(`python ${name}:`, 2), [
      { message: `python ${name}: größe critical`, level: "fatal", service: null, facility: "local3" },
      { message: `python ${name}: größe warning`, level: "warn", service: null, facility: "local3" },
    ]);
});

/** A daemon with its own directory and configuration. */
interface Daemon {
  readonly socket: string;
  stop(): Promise<void>;
}

async function startDaemon(
  command: string,
  words: readonly string[],
  socket: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Daemon> {
  const child: ChildProcess = spawn(command, [...words], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: "/usr/sbin:/usr/bin:/bin", TZ: "UTC", ...environment },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, "close");
  await eventually(`${command} to listen: ${output}`, () => (existsSync(socket) ? true : null), 30_000);
  return {
    socket,
    stop: async () => {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

const RSYSLOG = "/usr/sbin/rsyslogd";
const rsyslogSkip = existsSync(RSYSLOG) ? false : "rsyslog is not installed";
const rsyslogTlsSkip =
  globSync("/usr/lib/*/rsyslog/lmnsd_gtls.so").length > 0 ? rsyslogSkip : "rsyslog-gnutls is not installed";

const forward = (parameters: string): string => `action(type="omfwd" target="127.0.0.1" ${parameters})`;

function rsyslog(name: string, action: string): Promise<Daemon> {
  const home = join(directory, `rsyslog-${name}`);
  mkdirSync(home);
  const socket = join(home, "log");
  writeFileSync(
    join(home, "rsyslog.conf"),
    `global(workDirectory="${home}")
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="${socket}" CreatePath="on" RateLimit.Interval="0" UseSysTimeStamp="off")
${action}
`,
  );
  return startDaemon(RSYSLOG, ["-n", "-f", join(home, "rsyslog.conf"), "-i", join(home, "pid")], socket);
}

const FRAMINGS: Readonly<Record<string, () => string>> = {
  udp: () => forward(`port="${udp}" protocol="udp"`),
  tcp: () => forward(`port="${tcp}" protocol="tcp"`),
  "tcp-5424-counted": () =>
    forward(`port="${tcp}" protocol="tcp" TCP_Framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format"`),
  "tcp-forward": () => forward(`port="${tcp}" protocol="tcp" template="RSYSLOG_ForwardFormat"`),
  "tcp-compressed": () => forward(`port="${tcp}" protocol="tcp" compression.mode="single" ziplevel="9"`),
  "udp-compressed": () => forward(`port="${udp}" protocol="udp" ziplevel="9"`),
  "as the portal shows it": () => configurationOf("rsyslog", place, "none"),
  "as the portal shows it for TLS": () =>
    // rsyslog compares only the DNS names of a certificate.
    replaced(configurationOf("rsyslog-tls", place, "none"), {
      "/etc/ssl/certs/ca-certificates.crt": caFile,
      "127.0.0.1": "localhost",
    }),
};

for (const [name, action] of Object.entries(FRAMINGS)) {
  test(`rsyslog, ${name}`, { skip: name.endsWith("TLS") ? rsyslogTlsSkip : rsyslogSkip }, async () => {
    const daemon = await rsyslog(name, action());
    try {
      const short = `rsyslog ${name}. short`;
      const long = `rsyslog ${name}. ${"long ".repeat(100)}`.trim();
      for (const message of [short, long])
        await run(LOGGER, ["--socket", daemon.socket, "--tag", "shop", "-p", "local1.warning", message], { TZ: "UTC" });
      const expected = { level: "warn", service: "shop", facility: "local1" };
      assertRows(
        await find(`rsyslog ${name}.`, 2),
        [long, short].map((message) => ({ message, ...expected })),
      );
    } finally {
      await daemon.stop();
    }
  });
}

/** Where the package is unpacked, or the system's. */
const NG = process.env["MOORING_TEST_SYSLOG_NG"] ?? "";
const SYSLOG_NG = `${NG}/usr/sbin/syslog-ng`;
const [ngLibraries = ""] = globSync(`${NG}/usr/lib/syslog-ng/libsyslog-ng-*.so*`).map((path) => dirname(path));
const towards = (driver: string): string => `destination d { ${driver}; };\nlog { source(s_src); destination(d); };\n`;
for (const [name, path] of Object.entries({
  network: () => towards(`network("127.0.0.1" port(${tcp}) transport("tcp"))`),
  "syslog-tcp": () => towards(`syslog("127.0.0.1" port(${tcp}) transport("tcp"))`),
  udp: () => towards(`network("127.0.0.1" port(${udp}) transport("udp"))`),
  "as the portal shows it": () => configurationOf("syslog-ng", place, "none"),
  "as the portal shows it for TLS": () =>
    replaced(configurationOf("syslog-ng-tls", place, "none"), { 'ca-dir("/etc/ssl/certs")': `ca-file("${caFile}")` }),
})) {
  const skip = existsSync(SYSLOG_NG) ? false : "syslog-ng is not installed";
  test(`syslog-ng, ${name}`, { skip }, async () => {
    const home = join(directory, `syslog-ng-${name}`);
    mkdirSync(home);
    const socket = join(home, "log");
    const config = join(home, "syslog-ng.conf");
    writeFileSync(
      config,
      `@version: current
options { keep-hostname(yes); };
source s_src { unix-dgram("${socket}"); };
${path()}`,
    );
    const words = ["-F", "-f", config, "-R", join(home, "persist"), "-p", join(home, "pid"), "-c", join(home, "ctl")];
    const modules = globSync(`${NG}/usr/lib/syslog-ng/*/`).join(":");
    const environment = { LD_LIBRARY_PATH: ngLibraries };
    const daemon = await startDaemon(SYSLOG_NG, [...words, "--no-caps", "--module-path", modules], socket, environment);
    try {
      const id = `syslog-ng ${name}.`;
      await run(LOGGER, ["--socket", socket, "--tag", "shop", "-p", "cron.debug", id], { TZ: "UTC" });
      assertRows(await find(id, 1), [{ message: id, level: "debug", service: "shop", facility: "cron" }]);
    } finally {
      await daemon.stop();
    }
  });
}

test(
  "rsyslog with a queue sends what it could not send while the server was killed",
  { skip: rsyslogSkip },
  async () => {
    const queue = `queue.type="LinkedList" action.resumeRetryCount="-1" action.resumeInterval="1"`;
    const daemon = await rsyslog("queue", forward(`port="${tcp}" protocol="tcp" ${queue}`));
    const log = (number: number): Promise<string> =>
      run(LOGGER, ["--socket", daemon.socket, "--tag", "shop", `queued ${number}.`]);
    try {
      for (let number = 0; number < 10; number++) await log(number);
      await find("queued ", 10);
      await server.kill();
      // rsyslog finds out that the connection is broken when it sends the first of these.
      for (let number = 10; number < 60; number++) await log(number);
      server = await start();
      await log(60);
      const found = await find("queued ", 60);
      const numbers = new Set(found.map(({ message }) => Number(/queued (\d+)/.exec(message)?.[1])));
      const lost = Array.from({ length: 61 }, (_, number) => number).filter((number) => !numbers.has(number));
      // The message that a closed connection took is lost: TCP reports it only with the next one.
      assert.ok(lost.length <= 1 && lost.every((number) => number === 10), `lost: ${lost.join(" ")}`);
    } finally {
      await daemon.stop();
    }
  },
);
