import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, afterEach, before, test } from "node:test";
import { connect as connectTls } from "node:tls";
import type { Rule } from "#domain/ingest-rules/index.ts";
import { UTC } from "#domain/telemetry/text/index.ts";
import { credentialOf } from "#http/testing/host.ts";
import { Problem } from "#kernel/problem.ts";
import { systemClock } from "#kernel/time.ts";
import { openTestTelemetry, type TestTelemetry } from "#stores/telemetry/testing/telemetry.ts";
import { makeCertificates } from "../../../../../tests/fixtures/certificates.ts";
import { eventually } from "../../../../../tests/fixtures/process.ts";
import { openDatagramListener, openStreamListener } from "./listeners.ts";
import { createSyslogServer, type SyslogListeners, type SyslogServer } from "./server.ts";
import { TEST_ORIGIN } from "#stores/telemetry/testing/origin.ts";

const directory = mkdtempSync(join(tmpdir(), "mooring-syslog-"));
let telemetry: TestTelemetry;
let ca: string;
let pair: { cert: string; key: string };
/** Thrown by the store instead of storing. */
let refusal: Problem | undefined;
/** The rules of every sender. */
let rules: readonly Rule[] | undefined;
const valid = new Set<string>();
const watchers = new Set<() => void>();
const open: { stop(timeoutMs: number): Promise<void> }[] = [];
const sockets: Socket[] = [];

before(async () => {
  telemetry = await openTestTelemetry();
  const { caFile, certificateFile, keyFile } = makeCertificates(directory);
  ca = readFileSync(caFile, "utf8");
  pair = { cert: readFileSync(certificateFile, "utf8"), key: readFileSync(keyFile, "utf8") };
});
afterEach(async () => {
  refusal = undefined;
  rules = undefined;
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of open.splice(0)) await server.stop(1000);
});
after(async () => {
  await telemetry.close();
  rmSync(directory, { recursive: true, force: true });
});

async function start(key: string | null): Promise<SyslogListeners & { server: SyslogServer }> {
  valid.clear();
  for (const each of ["one", "two"]) valid.add(each);
  const listeners = {
    tcp: await openStreamListener("127.0.0.1:0", { connectionsMax: 5 }),
    tls: await openStreamListener("127.0.0.1:0", { connectionsMax: 5, tls: pair }),
    udp: await openDatagramListener("127.0.0.1:0"),
  };
  const { store } = telemetry;
  const server = createSyslogServer(listeners, {
    store: {
      admit: () => {
        if (refusal !== undefined) throw refusal;
      },
      append: (batch) => store.append(batch),
      acceptedTimes: (orgId, type) => store.acceptedTimes(orgId, type),
    },
    rules: { sets: { of: async () => rules }, counter: { add: () => {} } },
    refused: { add: () => {} },
    clock: systemClock,
    log: { warn: () => {}, error: (fields) => assert.fail(JSON.stringify(fields)) },
    key,
    zone: UTC,
    authenticate: async (secret) => {
      if (!valid.has(secret)) throw new Problem("unauthorized", "The key is not known.");
      return credentialOf(`org_${secret}`, ["telemetry:write"], "prj_a");
    },
    watch: (secret, _ip, ended) => {
      const check = (): void => void (valid.has(secret) || ended());
      watchers.add(check);
      return () => watchers.delete(check);
    },
    counted: () => {},
  });
  open.push(server);
  return { ...listeners, server };
}

function dial({ address }: { readonly address: string }): Socket {
  const socket = connect(Number(address.split(":").at(-1)), "127.0.0.1");
  socket.on("error", () => {});
  sockets.push(socket);
  return socket;
}

async function rowsOf(org: string): Promise<Record<string, unknown>[]> {
  const run = await telemetry.store.query({
    orgId: org,
    origin: TEST_ORIGIN,
    visible: "all",
    sql: "SELECT level, message, service, attributes->>'host' AS host, attributes::text AS attributes FROM logs ORDER BY message",
    parameters: [],
    format: "ndjson",
    timeoutMs: 20_000,
    memoryBytesMax: 2 ** 28,
    rowsMax: 100_000,
    truncate: false,
    signal: new AbortController().signal,
  });
  const lines = (await text(run.body)).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const counted = (name: string, ask: () => number | undefined, wanted: number): Promise<true> =>
  eventually(`${wanted} ${name}`, () => (ask() === wanted ? true : null), 20_000);

test("TCP, TLS and UDP store messages of the listener's key", async () => {
  const { server, tcp, tls, udp } = await start("one");
  dial(tcp as never).end("<11>Nov 23 01:16:06 vm app[7]: by tcp\n");
  const secure = connectTls({
    port: Number(tls?.address.split(":").at(-1)),
    host: "127.0.0.1",
    ca,
    servername: "localhost",
  });
  sockets.push(secure);
  const framed = "<13>1 - vm tool - - - by tls";
  secure.write(`${framed.length} ${framed}`);
  const sender = createSocket("udp4");
  for (const sent of ["<12>by udp\nsecond line\0", "<15>"])
    await new Promise((resolve) => sender.send(sent, Number(udp?.address.split(":").at(-1)), "127.0.0.1", resolve));
  await counted("by TCP", () => server.counts().tcp?.stored, 1);
  await counted("by TLS", () => server.counts().tls?.stored, 1);
  await counted("by UDP", () => server.counts().udp?.stored, 2);
  sender.close();
  assert.equal(server.kernelDrops(), 0);
  const rows = (await rowsOf("org_one")).map(({ attributes: _attributes, ...row }) => row);
  assert.deepEqual(rows, [
    { level: "debug", message: "", service: null, host: "127.0.0.1" },
    { level: "error", message: "by tcp", service: "app", host: "vm" },
    { level: "info", message: "by tls", service: "tool", host: "vm" },
    { level: "warn", message: "by udp\nsecond line", service: null, host: "127.0.0.1" },
  ]);
});

test("on a shared listener, the key is in the structured data and is not stored", async () => {
  const { server, tcp } = await start(null);
  const socket = dial(tcp as never);
  socket.write('<13>1 - vm a - - [token@32473 key="two"] shared\n');
  await counted("stored", () => server.counts().tcp?.stored, 1);
  const [row] = await rowsOf("org_two");
  assert.equal(row?.["message"], "shared");
  assert.ok(!String(row?.["attributes"]).includes("two"));
  socket.write("<13>without a key\n");
  await once(socket, "close");
  assert.equal(server.counts().tcp?.refused, 1);
});

test("a connection waits until the server serves, and nothing of it is lost", async () => {
  const tcp = await openStreamListener("127.0.0.1:0", { connectionsMax: 5 });
  const received: string[] = [];
  const socket = dial(tcp);
  await new Promise((resolve) => socket.write("<13>early\n", resolve));
  tcp.serve((accepted) => accepted.on("data", (chunk: Buffer) => received.push(chunk.toString())));
  await eventually("the early message", () => (received.join("") === "<13>early\n" ? true : null));
  tcp.close();
});

test("a wrong key closes the connection, and a revoked one closes an idle connection at once", async () => {
  const { tcp } = await start("wrong");
  await once(dial(tcp as never), "close");
  const second = await start("one");
  const idle = dial(second.tcp as never);
  await once(idle, "connect");
  idle.write("<13>1 - - idle - - - x\n");
  await counted("stored", () => second.server.counts().tcp?.stored, 1);
  valid.delete("one");
  const closed = once(idle, "close");
  for (const check of watchers) check();
  await closed;
});

test("a connection is read only as fast as its messages are stored", async () => {
  const { server, tcp } = await start("one");
  refusal = new Problem("quota_exceeded", "used up", { retryAfterS: 1 });
  const socket = dial(tcp as never);
  const line = `<13>1 - - slow - - - ${"x".repeat(1000)}\n`;
  let written = 0;
  // The kernel's buffers fill, and then the sender has to wait.
  await eventually("the sender to wait", () => {
    for (let i = 0; i < 100; i++) {
      written += 1;
      if (!socket.write(line) && socket.writableLength > 64 * line.length) return true;
    }
    return null;
  });
  assert.equal(server.counts().tcp?.stored, 0);
  refusal = undefined;
  await counted("stored", () => server.counts().tcp?.stored, written);
});

test("a stop stores what has arrived", async () => {
  const { server, tcp, udp } = await start("one");
  const socket = dial(tcp as never);
  await once(socket, "connect");
  const lines = Array.from({ length: 5000 }, (_, i) => `<13>1 - - stopped - - - line ${i}\n`);
  await new Promise((resolve) => socket.write(lines.join(""), resolve));
  const sender = createSocket("udp4");
  await new Promise((resolve) => sender.send("<13>last", Number(udp?.address.split(":").at(-1)), "127.0.0.1", resolve));
  await counted("by UDP", () => (server.counts().udp?.stored ?? 0) + (server.counts().udp?.dropped ?? 0), 1);
  sender.close();
  await server.stop(10_000);
  assert.equal(server.counts().tcp?.stored, 5000);
});

test("a flood of datagrams is counted, and memory stays limited", async () => {
  const { server, udp } = await start("one");
  refusal = new Problem("unavailable", "busy");
  const sender = createSocket("udp4");
  const port = Number(udp?.address.split(":").at(-1));
  for (let i = 0; i < 200; i++)
    await new Promise((resolve) => sender.send(Buffer.alloc(1000, 0x41), port, "127.0.0.1", resolve));
  await eventually("all datagrams to be counted", () =>
    (server.counts().udp?.dropped ?? 0) + server.kernelDrops() === 200 ? true : null,
  );
  sender.close();
});

test("rules drop and mask messages, and dropped ones count as stored", async () => {
  const { server, tcp } = await start("two");
  const common = { types: ["logs"], projectId: null, sender: null } as const;
  rules = [
    { ...common, id: "rule_1", match: { message_contains: "noise" }, action: { kind: "drop" } },
    { ...common, id: "rule_2", match: {}, action: { kind: "mask", masks: ["email"] } },
  ];
  const before = (await rowsOf("org_two")).length;
  const at = "<11>Nov 23 01:16:06 vm app[7]:";
  dial(tcp as never).end(`${at} ruled noise\n${at} ruled by ann@example.org\n`);
  await counted("by TCP", () => server.counts().tcp?.stored, 2);
  const found = await rowsOf("org_two");
  assert.equal(found.length, before + 1);
  assert.ok(found.some(({ message }) => message === "ruled by [email]"));
});
