/** Clients of OTLP/gRPC and syslog that misbehave: memory stays limited, and others are answered. */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterEach, test } from "node:test";
import { grpcClient, logsRequest, prefixed } from "../fixtures/grpc.ts";
import { newIngestKey } from "../fixtures/ingest-keys.ts";
import { eventually } from "../fixtures/process.ts";
import { useServer } from "../fixtures/server.ts";

const CONNECTIONS_MAX = 60;
const MIB = 1024 * 1024;
const GROWTH_BYTES_MAX = 250 * MIB;
/** RFC 9113 section 3.4: the beginning of each connection, with empty settings. */
const PREFACE = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0)]);

let key: string;
const shared = useServer(
  {
    settings: {
      connections_max: CONNECTIONS_MAX,
      syslog_tcp_listen: "127.0.0.1:0",
      syslog_udp_listen: "127.0.0.1:0",
    },
  },
  async ({ server, home }) => {
    key = await newIngestKey(server, home);
  },
);
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

function frame(type: number, flags: number, stream: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

function dial(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}).resume();
  sockets.push(socket);
  return socket;
}

function grpcPort(): number {
  return Number(new URL(shared.server.grpcOrigin).port);
}

function syslogPort(transport: "tcp" | "udp"): number {
  return Number(new RegExp(`^\\s*syslog\\s+${transport} \\S+:(\\d+)$`, "m").exec(shared.server.stdout())?.[1]);
}

function memoryBytes(): number {
  const status = readFileSync(`/proc/${shared.server.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** A correct call is answered. */
async function othersAreAnswered(): Promise<void> {
  await eventually("a correct call to be answered", async () => {
    const client = grpcClient(shared.server.grpcOrigin);
    try {
      const { code } = await client.call({ token: key, message: logsRequest("good", ["x"]) });
      return code === 0 ? true : null;
    } catch {
      return null; // The connections of a test may still be closing.
    } finally {
      client.close();
    }
  });
}

/** The main address serves requests. */
async function othersAreServed(): Promise<void> {
  const { status } = await shared.server.call("GET", "/v1/organization", { token: shared.token });
  assert.equal(status, 200);
}

test("bytes that are not HTTP/2 close the connection", async () => {
  const hostile = [
    Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    Buffer.alloc(100_000, 0xff),
    Buffer.concat([PREFACE, frame(1, 4, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))]), // HPACK, RFC 7541
    Buffer.concat([PREFACE, frame(1, 4, 1, Buffer.from([0x3f, 0xff, 0xff, 0xff, 0x7f]))]), // a huge table
    Buffer.concat([PREFACE, frame(0, 0, 7, Buffer.alloc(10))]), // DATA of no stream
    Buffer.concat([PREFACE, frame(9, 4, 1, Buffer.alloc(10))]), // CONTINUATION of nothing
    Buffer.concat([PREFACE, Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])]), // a frame of 16 MiB
  ];
  for (const [at, bytes] of hostile.entries()) {
    const socket = dial(grpcPort());
    socket.write(bytes);
    await eventually(`connection ${at} to close`, () => (socket.destroyed ? true : null));
  }
  await othersAreAnswered();
});

test("headers that never end are limited", async () => {
  const before = memoryBytes();
  const socket = dial(grpcPort());
  socket.write(Buffer.concat([PREFACE, frame(1, 0, 1, Buffer.from([0x82]))]));
  const field = Buffer.concat([Buffer.from([0x00, 0x7f, 0x81, 0x7c]), Buffer.alloc(16_000, 0x61)]);
  for (let i = 0; i < 2000 && !socket.destroyed; i++)
    if (!socket.write(frame(9, 0, 1, field.subarray(0, 16_000))))
      await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
  await eventually("the connection to close", () => (socket.destroyed ? true : null));
  assert.ok(memoryBytes() - before < GROWTH_BYTES_MAX);
  await othersAreAnswered();
});

test("half messages with huge declared lengths keep memory limited", async (context) => {
  const before = memoryBytes();
  const client = grpcClient(shared.server.grpcOrigin);
  context.after(() => client.close());
  /** The server waits for the rest of the third. It refuses the others after the prefix. */
  const lengths = [0xffffffff, 11 * MIB, 9 * MIB];
  const begin = (length: number): Promise<number | null> =>
    client
      .call({ token: key, raw: prefixed(Buffer.alloc(1), 0, length), open: true })
      .then(({ code }) => code)
      .catch(() => null);
  const calls = Array.from({ length: CONNECTIONS_MAX - 6 }, (_, at) => begin(lengths[at % lengths.length] ?? 0));
  const refused = await Promise.all(calls.filter((_, at) => at % lengths.length < 2));
  assert.deepEqual(new Set(refused), new Set([3]));
  const more = Array.from({ length: 3 * CONNECTIONS_MAX }, () => begin(9 * MIB));
  await othersAreServed();
  assert.ok(memoryBytes() - before < 2 * GROWTH_BYTES_MAX, `${(memoryBytes() - before) / MIB} MiB`);
  client.close();
  await Promise.all([...calls, ...more]);
  await othersAreAnswered();
});

test("idle connections are limited, and free ones are used again", async () => {
  for (const port of [grpcPort(), syslogPort("tcp")]) {
    const idle = Array.from({ length: CONNECTIONS_MAX * 3 }, () => dial(port));
    await eventually("connections past the limit to close", () =>
      idle.filter(({ destroyed }) => destroyed).length >= CONNECTIONS_MAX * 2 ? true : null,
    );
    await othersAreServed();
    for (const socket of idle) socket.destroy();
  }
  await othersAreAnswered();
});

test("streams that are opened and reset again and again end the connection", async () => {
  const client = grpcClient(shared.server.grpcOrigin);
  for (let i = 0; i < 5000 && !client.session.destroyed; i++) {
    const stream = client.session.request({ ":path": "/x", ":method": "POST" });
    stream.on("error", () => {});
    stream.close(8);
    if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await eventually("the connection to end", () => (client.session.destroyed || client.session.closed ? true : null));
  client.close();
  await othersAreAnswered();
});

test("endless messages of syslog keep memory limited", async () => {
  const before = memoryBytes();
  const endless = Buffer.alloc(64 * 1024, 0x41);
  for (const begin of ["<13>", "9999999 <13>", '<13>1 - - - - - [token@1 key="x']) {
    const socket = dial(syslogPort("tcp"));
    socket.write(begin);
    for (let i = 0; i < 300 && !socket.destroyed; i++)
      if (!socket.write(endless)) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
  }
  assert.ok(memoryBytes() - before < GROWTH_BYTES_MAX);
  await othersAreAnswered();
});

test("a flood of datagrams does not stop others", async () => {
  const before = memoryBytes();
  const sender = createSocket("udp4");
  const [port, flood] = [syslogPort("udp"), Buffer.from(`<13>${"x".repeat(1000)}`)];
  for (let i = 0; i < 20_000; i++) {
    sender.send(flood, port, "127.0.0.1");
    if (i % 200 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await othersAreAnswered();
  assert.ok(memoryBytes() - before < GROWTH_BYTES_MAX);
  sender.close();
});
