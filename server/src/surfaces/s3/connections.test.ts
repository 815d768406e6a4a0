/** Tests connections that send no request, or that disconnect. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { openListener } from "#http/index.ts";
import { serveSurface } from "#http/testing/host.ts";
import { createS3Surface } from "./index.ts";
import { openGateway } from "./testing/gateway.ts";

const DEADLINE_MS = 10_000;

async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!condition()) {
    assert.ok(Date.now() < deadline, `${what} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Returns everything that the server sends until it closes the connection. */
async function receivedUntilClose(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "close");
  return Buffer.concat(chunks).toString();
}

test("a connection that sent nothing is closed without an answer; one that sent half a header gets a 400", async (t) => {
  const listener = await openListener("127.0.0.1:0", { headersTimeoutMs: 60 });
  t.after(() => listener.stop(0));
  await serveSurface(listener, createS3Surface({ handle: () => undefined }));
  const port = Number(listener.address.split(":")[1]);
  assert.equal(await receivedUntilClose(connect(port, "127.0.0.1")), "");
  const half = connect(port, "127.0.0.1");
  half.write("GET / HTTP/1.1\r\nHost:");
  assert.match(await receivedUntilClose(half), /^HTTP\/1\.1 400 [^]*<Code>RequestTimeout<\/Code>/);
});

test("an invalid request gets its 400 after the answer to the request before it", async (t) => {
  const gateway = await openGateway();
  t.after(() => gateway.close());
  const port = Number(gateway.host.split(":")[1]);
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET /none HTTP/1.1\r\nHost: ${gateway.host}\r\n\r\nnonsense\r\n\r\n`);
  const text = await receivedUntilClose(socket);
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 404", "HTTP/1.1 400"], text);
});

test("a form that is refused in the middle leaves its connection usable", async (t) => {
  const gateway = await openGateway();
  t.after(() => gateway.close());
  const port = Number(gateway.host.split(":")[1]);
  const socket = connect(port, "127.0.0.1");
  const field = '\r\n--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n';
  const form = field.repeat(10_000);
  const head = [
    "POST /bucket HTTP/1.1",
    `Host: ${gateway.host}`,
    "Content-Type: multipart/form-data; boundary=b",
    `Content-Length: ${form.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${form}`);
  socket.write(`GET /none HTTP/1.1\r\nHost: ${gateway.host}\r\nConnection: close\r\n\r\n`);
  const text = await receivedUntilClose(socket);
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 400", "HTTP/1.1 404"], text);
});

test("a client that disconnects is not logged as an error", async (t) => {
  const errors: unknown[] = [];
  const gateway = await openGateway({}, { error: (...about) => errors.push(about) });
  t.after(() => gateway.close());
  const port = Number(gateway.host.split(":")[1]);
  await gateway.call("PUT", "/gone");
  const form =
    '--b\r\ncontent-disposition: form-data; name="key"\r\n\r\nk\r\n--b\r\ncontent-disposition: form-data; name="file"\r\n\r\nbegun';
  const chunked = {
    headers: { "content-encoding": "aws-chunked", "x-amz-decoded-content-length": "100000" },
    sign: { payload: "STREAMING-UNSIGNED-PAYLOAD-TRAILER" },
  };
  const anonymously = { "x-amz-acl": "public-read-write" };
  await gateway.call("PUT", "/gone?acl", { headers: anonymously });
  const cases: readonly [string, string, string, Parameters<typeof gateway.signed>[2]?][] = [
    ["PUT", "/gone/object", "x".repeat(50_000)],
    ["PUT", "/gone/object", "7d00\r\nabc", chunked],
    ["POST", "/gone?delete", "<Delete>"],
    ["PUT", "/gone?tagging", "<Tagging>"],
    ["POST", "/gone", form, { headers: { "content-type": "multipart/form-data; boundary=b" }, sign: false }],
  ];
  for (const [method, target, begun, call = {}] of cases) {
    const before = gateway.answered();
    const headers =
      call.sign === false
        ? { host: gateway.host, ...call.headers }
        : gateway.signed(method, target, { ...call, sign: { payload: "UNSIGNED-PAYLOAD", ...call.sign } }).headers;
    const head = Object.entries({ ...headers, "content-length": "60000" }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(`${method} ${target} HTTP/1.1\r\n${head.join("")}\r\n${begun}`);
    await until(`${method} ${target} begun`, () => gateway.underWay() > 0);
    socket.destroy();
    await until(`${method} ${target} ended`, () => gateway.answered() > before);
  }
  assert.deepEqual(errors, []);
});
