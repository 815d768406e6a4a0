import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import Type from "typebox";
import { route } from "@mooring/contract";
import { mountRoute } from "./index.ts";
import { startTestServer, type TestServer } from "./testing/host.ts";

const BYTES_MAX = 4 * 1024 * 1024;
const TIME_MS = 1500;
const CHUNK = Buffer.alloc(64 * 1024, "a");
const ROW = route({
  operationId: "make",
  method: "POST",
  path: "/things",
  permission: "public",
  publicReason: "test",
  tag: "t",
  summary: "s",
  problems: [],
  status: 200,
  body: Type.Object({}),
});

let server: TestServer;
before(async () => {
  server = await startTestServer({
    principals: {},
    mount: (host) => ({ name: "test", mount: (app) => mountRoute(app, host, ROW, async () => ({}) as never) }),
    listener: { refusedBodies: { bytesMax: BYTES_MAX, timeMs: TIME_MS } },
  });
});
after(() => server.stop());

interface Sent {
  readonly socket: Socket;
  readonly heard: () => string;
  readonly closed: Promise<unknown>;
}

function begin(head: string, endsWithServer = false): Sent {
  const [host = "", port = ""] = server.address.split(":");
  const socket = connect({ host, port: Number(port), allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  if (endsWithServer) socket.on("end", () => socket.end());
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(`${head}\r\nHost: x\r\nContent-Type: application/json\r\n\r\n`);
  return { socket, closed, heard: () => Buffer.concat(chunks).toString() };
}

/** Sends everything before it reads the answer, as simple clients do. Resolves with the number of sent bytes. */
async function pour(socket: Socket, bytes: number): Promise<number> {
  let sent = 0;
  while (sent < bytes && !socket.destroyed) {
    sent += CHUNK.length;
    if (!socket.write(CHUNK)) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => undefined);
  }
  return sent;
}

const REFUSED = { "an unknown path": ["/none", 404], "a body that is too large": ["/things", 413] } as const;

for (const [what, [path, status]] of Object.entries(REFUSED)) {
  for (const connection of ["close", "keep-alive"]) {
    test(`${what}: a client that sends it whole gets the answer (${connection})`, async () => {
      const bytes = BYTES_MAX - CHUNK.length;
      const head = `POST ${path} HTTP/1.1\r\nConnection: ${connection}\r\nContent-Length: ${bytes}`;
      const { socket, heard, closed } = begin(head, true);
      socket.pause();
      await pour(socket, bytes);
      socket.resume();
      if (connection === "keep-alive") {
        socket.write("POST /things HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n");
        socket.write("Content-Length: 2\r\n\r\n{}");
      }
      await closed;
      const answers = connection === "close" ? [String(status)] : [String(status), "200"];
      assert.deepEqual(
        [...heard().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code),
        answers,
        heard(),
      );
    });
  }

  test(`${what}: an endless sender is cut after more bytes than the limit`, async () => {
    const { socket, heard, closed } = begin(`POST ${path} HTTP/1.1\r\nContent-Length: ${100 * BYTES_MAX}`);
    const sent = await pour(socket, 100 * BYTES_MAX);
    await closed;
    assert.ok(sent > BYTES_MAX, `only ${sent} bytes were read`);
    assert.ok(sent < 50 * BYTES_MAX, `${sent} bytes were read`);
    assert.match(heard(), new RegExp(`^HTTP/1\\.1 ${status} [^]*connection: close`, "i"));
  });

  test(`${what}: a slow sender is cut when the time is over`, async () => {
    const head = `POST ${path} HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked`;
    const { socket, heard, closed } = begin(head);
    socket.write(`${(20_000).toString(16)}\r\n${"a".repeat(20_000)}\r\n`);
    while (!heard().includes("\r\n\r\n")) await once(socket, "data");
    const answeredMs = performance.now();
    const drip = setInterval(() => socket.write("1\r\na\r\n"), 20);
    await closed;
    clearInterval(drip);
    const tookMs = performance.now() - answeredMs;
    assert.ok(tookMs > TIME_MS / 2 && tookMs < 20 * TIME_MS, `${tookMs} ms`);
    assert.match(heard(), new RegExp(`^HTTP/1\\.1 ${status} `));
  });
}
