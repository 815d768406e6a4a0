/** Servers of Debian's packages, with a faked clock. They log what the test makes them do. */
import { spawn, type ChildProcess } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { freePort } from "../fixtures/ports.ts";
import { eventually } from "../fixtures/process.ts";
import { FIRST_MS, type Expected, type Group, type Level, type Logger, type Written } from "./logger.ts";
import { faketime } from "./programs.ts";

const EVENTS = 100;
/** The faked clock continues from its start for as long as the server runs. */
const RUNS_MS = 120_000;
const NGINX = "/usr/sbin/nginx";
const APACHE = "/usr/sbin/apache2";
const HAPROXY = "/usr/sbin/haproxy";
const REDIS = "/usr/bin/redis-server";

const ids = Array.from({ length: EVENTS }, (_, i) => `order-${String(i).padStart(5, "0")}`);

function expectedOf(level: Level | null, startMs = FIRST_MS): Expected[] {
  return ids.map((id) => ({ id, fromMs: startMs - 1000, toMs: startMs + RUNS_MS, level }));
}

export const debian: Group = {
  name: "Debian",
  prepare: async () => {
    if (faketime() === null) throw new Error("the package faketime is not installed");
    const there = SERVERS.filter(({ program }) => existsSync(program));
    const missing = SERVERS.filter(({ program }) => !existsSync(program)).map(({ program }) => program);
    if (missing.length > 0) console.log(`# skipped, since they are not installed: ${missing.join(", ")}`);
    if (there.length === 0) throw new Error("none of its servers is installed");
    return there.map(({ logger }) => logger);
  },
};

const SERVERS: readonly { program: string; logger: Logger }[] = [
  { program: NGINX, logger: { name: "nginx, errors", write: (directory) => nginx(directory, "error.log", "error") } },
  { program: NGINX, logger: { name: "nginx, access", write: (directory) => nginx(directory, "access.log", null) } },
  { program: APACHE, logger: { name: "Apache, errors", write: (directory) => apache(directory, "error.log", "info") } },
  { program: APACHE, logger: { name: "Apache, access", write: (directory) => apache(directory, "access.log", null) } },
  { program: REDIS, logger: { name: "Redis", write: redis } },
  { program: HAPROXY, logger: { name: "HAProxy", write: haproxy } },
];

async function nginx(directory: string, log: string, level: Level | null): Promise<Written> {
  const port = await freePort();
  const site = join(directory, "site");
  mkdirSync(site);
  const conf = `
    daemon off; master_process off; pid ${directory}/pid; error_log ${directory}/error.log info;
    events {}
    http {
      access_log ${directory}/access.log combined;
      client_body_temp_path ${directory}/a; proxy_temp_path ${directory}/b; fastcgi_temp_path ${directory}/c;
      uwsgi_temp_path ${directory}/d; scgi_temp_path ${directory}/e;
      server { listen 127.0.0.1:${port}; root ${site}; }
    }`;
  writeFileSync(join(directory, "nginx.conf"), conf);
  await whileRunning([NGINX, "-p", directory, "-c", join(directory, "nginx.conf")], async () => requestAll(port));
  return { file: join(directory, log), expected: expectedOf(level) };
}

async function apache(directory: string, log: string, level: Level | null): Promise<Written> {
  const port = await freePort();
  const modules = "/usr/lib/apache2/modules";
  const conf = `
    ServerRoot ${directory}
    ServerName localhost
    Listen 127.0.0.1:${port}
    LoadModule mpm_event_module ${modules}/mod_mpm_event.so
    LoadModule authz_core_module ${modules}/mod_authz_core.so
    PidFile ${directory}/pid
    DefaultRuntimeDir ${directory}
    DocumentRoot ${directory}
    User nobody
    LogLevel info
    ErrorLog ${directory}/error.log
    CustomLog ${directory}/access.log "%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\""
  `;
  writeFileSync(join(directory, "apache.conf"), conf);
  await whileRunning([APACHE, "-X", "-f", join(directory, "apache.conf")], async () => requestAll(port));
  return { file: join(directory, log), expected: expectedOf(level) };
}

/** Logs at the real time, because its allocator does not work with the library that fakes the clock. */
async function redis(directory: string): Promise<Written> {
  const startMs = Date.now();
  const port = await freePort();
  const file = join(directory, "redis.log");
  const words = ["--port", String(port), "--bind", "127.0.0.1", "--dir", directory, "--save", "", "--logfile", file];
  await whileRunning(
    [REDIS, ...words, "--enable-debug-command", "yes"],
    async () => {
      const socket = await connected(port);
      socket.end(ids.map((id) => `DEBUG LOG ${id}\r\n`).join(""));
      socket.resume();
      await once(socket, "close");
    },
    {},
  );
  return { file, expected: expectedOf("warn", startMs) };
}

/** Sends its lines by UDP, as for syslog. */
async function haproxy(directory: string): Promise<Written> {
  const port = await freePort();
  const syslog = createSocket("udp4").bind(0, "127.0.0.1");
  await once(syslog, "listening");
  const lines: string[] = [];
  syslog.on("message", (message) => lines.push(message.toString().trimEnd()));
  const conf = `
global
  log 127.0.0.1:${syslog.address().port} local0 info
defaults
  mode http
  log global
  option httplog
  timeout client 10s
  timeout connect 10s
  timeout server 10s
frontend shop
  bind 127.0.0.1:${port}
  http-request return status 200
`;
  const file = join(directory, "haproxy.log");
  writeFileSync(join(directory, "haproxy.cfg"), conf);
  await whileRunning([HAPROXY, "-f", join(directory, "haproxy.cfg"), "-db"], async () => {
    await requestAll(port);
    await eventually("the lines", () =>
      lines.filter((line) => line.includes("order-")).length >= EVENTS ? true : null,
    );
  });
  syslog.close();
  writeFileSync(file, `${lines.join("\n")}\n`);
  return { file, expected: expectedOf("info") };
}

async function requestAll(port: number): Promise<void> {
  (await connected(port)).destroy();
  for (const id of ids) await (await fetch(`http://127.0.0.1:${port}/${id}`)).text();
}

/** Starts a server at the chosen time, and ends it when `act` has ended. */
async function whileRunning(
  [command = "", ...words]: readonly string[],
  act: () => Promise<void>,
  clock: Readonly<Record<string, string>> = fakedClock(),
): Promise<void> {
  const child = spawn(command, words, {
    env: { PATH: "/usr/sbin:/usr/bin", ...clock, TZ: "UTC" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => output.push(text));
  try {
    await Promise.race([act(), ended(child, command, output)]);
  } finally {
    child.removeAllListeners("close");
    const closed = once(child, "close");
    if (child.exitCode === null) {
      child.kill("SIGTERM");
      await closed;
    }
  }
}

function fakedClock(): Record<string, string> {
  const start = new Date(FIRST_MS).toISOString().slice(0, 19).replace("T", " ");
  return { LD_PRELOAD: faketime() ?? "", FAKETIME: `@${start}`, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
}

async function ended(child: ChildProcess, command: string, output: readonly string[]): Promise<never> {
  await new Promise((resolve) => child.once("close", resolve));
  throw new Error(`${command} ended: ${output.join("")}`);
}

async function connected(port: number): Promise<ReturnType<typeof connect>> {
  return eventually("the server", async () => {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return socket;
    } catch {
      return null;
    }
  });
}
