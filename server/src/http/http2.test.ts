import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:https";
import { connect, constants, type ClientHttp2Session, type OutgoingHttpHeaders } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { connect as connectTls } from "node:tls";
import Type from "typebox";
import { route } from "@mooring/contract";
import { makeCertificates } from "../../../tests/fixtures/certificates.ts";
import { eventually } from "../../../tests/fixtures/process.ts";
import { mountRoute } from "./index.ts";
import { bearer, credentialOf, startTestServer, type TestServer } from "./testing/host.ts";

const row = { tag: "t", summary: "s", problems: [], status: 200, permission: "public", publicReason: "test" } as const;
const Named = Type.Object({ name: Type.String() }, { additionalProperties: false });
const SHOW = route({ ...row, operationId: "show", method: "GET", path: "/show" });
const WAIT = route({ ...row, operationId: "wait", method: "GET", path: "/wait" });
const PUSH = route({ ...row, operationId: "push", method: "GET", path: "/push" });
const TAKE = route({
  ...row,
  operationId: "take",
  method: "POST",
  path: "/take",
  permission: "apps:write",
  body: Named,
});
const STREAMS_MAX = 30;

let server: TestServer;
let origin: string;
let ca: string;
const directory = mkdtempSync(join(tmpdir(), "mooring-http2-"));
const waiting = { now: 0, aborted: 0 };
let sink: { bytes: number; resume(): void } | undefined;
const clients: ClientHttp2Session[] = [];

before(async () => {
  const { caFile, certificateFile, keyFile } = makeCertificates(directory);
  ca = readFileSync(caFile, "utf8");
  const tls = { cert: readFileSync(certificateFile, "utf8"), key: readFileSync(keyFile, "utf8") };
  server = await startTestServer({
    listener: { tls, http2: true, connectionsMax: STREAMS_MAX, refusedBodies: { bytesMax: 1_000_000, timeMs: 2000 } },
    principals: { one: credentialOf("org_1", ["apps:write"]) },
    mount: (host) => ({
      name: "test",
      mount: (app) => {
        mountRoute(app, host, SHOW, async (_input, { request, ip, requestId }) => {
          const { headers, url, httpVersion } = request.raw;
          return { headers, url, httpVersion, ip, requestId, protocol: request.protocol } as never;
        });
        mountRoute(app, host, WAIT, async (_input, { signal }) => {
          waiting.now += 1;
          await once(signal, "abort");
          waiting.now -= 1;
          waiting.aborted += 1;
          return {} as never;
        });
        mountRoute(app, host, TAKE, async ({ body }) => body as never);
        mountRoute(app, host, PUSH, async (_input, { reply }) => {
          reply.sendHead(200, { "content-type": "text/event-stream", "set-cookie": "a=1" });
          reply.raw.write("data: 1\n\n");
          return {} as never;
        });
        app.put("/sink", { config: { streamsBody: true } }, (request, reply) => {
          const state = { bytes: 0, resume: () => void request.raw.resume() };
          sink = state;
          request.raw.on("data", (chunk: Buffer) => (state.bytes += chunk.length)).pause();
          request.raw.once("end", () => void reply.send({}));
        });
        app.addContentTypeParser("application/x-sink", (_request, _payload, done) => done(null));
      },
    }),
  });
  origin = server.url.replace("http:", "https:");
});

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
});
after(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function session(): Promise<ClientHttp2Session> {
  const client = connect(origin, { ca });
  clients.push(client);
  client.on("error", () => undefined);
  await once(client, "connect");
  return client;
}

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly code: number;
}

/** Sends one request and reads its answer to the end. */
async function ask(client: ClientHttp2Session, fields: OutgoingHttpHeaders, body?: string | Buffer): Promise<Got> {
  const stream = client.request(fields, { endStream: body === undefined });
  stream.on("error", () => undefined);
  let headers: Record<string, unknown> = {};
  let text = "";
  stream.on("response", (got) => (headers = got));
  stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  if (body !== undefined) stream.end(body);
  await new Promise((resolve) => stream.once("close", resolve)); // This event also follows an error.
  return { status: Number(headers[":status"] ?? 0), headers, text, code: stream.rstCode };
}

test("a client that offers h2 gets HTTP/2, and the server sees its header fields, its address and https", async () => {
  const client = await session();
  const fields = { ":path": "/show", cookie: ["a=1", "b=2"], "x-two": "2", "request-id": "mine-12345678" };
  const { status, headers, text } = await ask(client, fields);
  assert.equal(status, 200, text);
  const seen = JSON.parse(text) as Record<string, unknown> & { headers: Record<string, string> };
  assert.deepEqual(
    [seen["url"], seen["ip"], seen["protocol"], seen["requestId"]],
    ["/show", "127.0.0.1", "https", "mine-12345678"],
  );
  assert.deepEqual(
    [seen.headers["host"], seen.headers["cookie"], seen.headers["x-two"]],
    [new URL(origin).host, "a=1; b=2", "2"],
  );
  assert.equal(headers["request-id"], "mine-12345678");
  assert.deepEqual([headers["connection"], headers["transfer-encoding"]], [undefined, undefined]);
});

test("a client that offers only http/1.1 gets HTTP/1.1, and TLS 1.1 is refused", async () => {
  const [response] = (await once(get(`${origin}/show`, { ca, agent: false }), "response")) as [
    { statusCode: number; httpVersion: string; resume(): void },
  ];
  response.resume();
  assert.deepEqual([response.statusCode, response.httpVersion], [200, "1.1"]);
  const { hostname, port } = new URL(origin);
  const old = connectTls({ host: hostname, port: Number(port), ca, maxVersion: "TLSv1.1", minVersion: "TLSv1.1" });
  await assert.rejects(once(old, "secureConnect"));
});

test("a body, an answer without a body, and a refusal work as in HTTP/1.1", async () => {
  const client = await session();
  const json = { "content-type": "application/json", ...bearer("one") };
  const post = { ":method": "POST", ":path": "/take", ...json };
  assert.deepEqual(JSON.parse((await ask(client, post, '{"name":"a"}')).text), { name: "a" });
  const head = await ask(client, { ":method": "HEAD", ":path": "/show" });
  assert.deepEqual([head.status, head.text, head.code], [200, "", constants.NGHTTP2_NO_ERROR]);
  const none = await ask(client, { ":method": "DELETE", ":path": "/show" });
  assert.equal(none.status, 405, none.text);
  const denied = await ask(client, { ":method": "POST", ":path": "/take", "content-type": "application/json" }, "{}");
  assert.equal(denied.status, 401, denied.text);
  const tooLarge = await ask(client, post, Buffer.alloc(2 * 1024 ** 2, "x"));
  assert.equal(tooLarge.status, 413, tooLarge.text);
});

test("two different hosts, an invalid host and an invalid path are refused", async () => {
  const client = await session();
  const { host } = new URL(origin);
  assert.equal((await ask(client, { ":path": "/show", ":authority": host, host: "other.example" })).status, 400);
  const wrong = await ask(client, { ":path": "/show", ":authority": "a b" });
  assert.equal(wrong.code, constants.NGHTTP2_PROTOCOL_ERROR);
  assert.equal((await ask(client, { ":path": "/show", ":authority": "[a" })).status, 400);
  assert.equal((await ask(client, { ":path": "/show%zz" })).status, 400);
  assert.equal((await ask(client, { ":path": "/show", host, ":authority": host })).status, 200);
});

test("header fields over 16 KiB get 431, and still larger or too many fields end the request", async () => {
  const client = await session();
  const large = await ask(client, { ":path": "/show", "x-large": "x".repeat(17_000) });
  assert.equal(large.status, 431, large.text);
  const larger = await ask(client, { ":path": "/show", "x-a": "x".repeat(20_000), "x-b": "x".repeat(20_000) });
  assert.notEqual(larger.code, constants.NGHTTP2_NO_ERROR);
  const fields = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x-${i}`, "1"]));
  const many = await ask(await session(), { ":path": "/show", ...fields });
  assert.notEqual(many.code, constants.NGHTTP2_NO_ERROR);
  assert.equal((await ask(await session(), { ":path": "/show" })).status, 200);
});

test("a streamed answer arrives in pieces, and a client that disconnects aborts its request", async () => {
  const client = await session();
  const stream = client.request({ ":path": "/push" });
  stream.on("error", () => undefined);
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  assert.deepEqual([headers["content-type"], headers["set-cookie"]], ["text/event-stream", ["a=1"]]);
  const [piece] = (await once(stream, "data")) as [Buffer];
  assert.equal(piece.toString(), "data: 1\n\n");
  const aborted = waiting.aborted;
  const asked = client.request({ ":path": "/wait" });
  asked.on("error", () => undefined);
  await eventually("the request to begin", () => (waiting.now === 1 ? true : null));
  asked.close(constants.NGHTTP2_CANCEL);
  await eventually("the reset to abort it", () => (waiting.aborted === aborted + 1 ? true : null));
  const other = client.request({ ":path": "/wait" });
  other.on("error", () => undefined);
  await eventually("the next request to begin", () => (waiting.now === 1 ? true : null));
  client.destroy();
  await eventually("the end of the connection to abort it", () => (waiting.aborted === aborted + 2 ? true : null));
});

test("a body that is not read does not fill the memory", async () => {
  const client = await session();
  const bytes = 20 * 1024 ** 2;
  const fields = { ":method": "PUT", ":path": "/sink", "content-type": "application/x-sink" };
  const stream = client.request(fields);
  let sent = 0;
  const piece = Buffer.alloc(64 * 1024);
  const done = (async () => {
    for (; sent < bytes; sent += piece.length)
      await new Promise<void>((resolve, reject) => stream.write(piece, (error) => (error ? reject(error) : resolve())));
    stream.end();
  })();
  await eventually("the body to begin", () => (sink !== undefined && sent > 0 ? true : null));
  let before = -1;
  await eventually("the sender to wait", () => (before === sent ? true : ((before = sent), null)), 10_000, 300);
  assert.ok(sent < 3 * 1024 ** 2, `${sent} bytes were accepted`);
  sink?.resume();
  await done;
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  assert.deepEqual([headers[":status"], sink?.bytes], [200, bytes]);
});

test("the number of running requests of all connections together is limited", async () => {
  const aborted = waiting.aborted;
  const client = await session();
  const streams = Array.from({ length: STREAMS_MAX }, () => client.request({ ":path": "/wait" }));
  for (const stream of streams) stream.on("error", () => undefined);
  await eventually("all to run", () => (waiting.now === STREAMS_MAX ? true : null));
  const more = await ask(await session(), { ":path": "/show" });
  assert.equal(more.code, constants.NGHTTP2_REFUSED_STREAM);
  client.destroy();
  await eventually("all to end", () => (waiting.aborted === aborted + STREAMS_MAX ? true : null));
  assert.equal((await ask(await session(), { ":path": "/show" })).status, 200);
});

test("a client that resets request after request is disconnected, and others are answered", async () => {
  const client = await session();
  let opened = 0;
  const untilMs = performance.now() + 30_000;
  while (!client.closed && !client.destroyed && performance.now() < untilMs && opened < 1000) {
    const stream = client.request({ ":path": "/wait" });
    stream.on("error", () => undefined);
    // Makes sure that the request arrives before its reset.
    await new Promise((resolve) => client.ping(resolve));
    stream.close(constants.NGHTTP2_CANCEL);
    opened += 1;
  }
  await eventually("it to be disconnected", () => (client.closed || client.destroyed ? true : null), 10_000);
  assert.ok(opened >= 200, `${opened} requests`);
  assert.equal((await ask(await session(), { ":path": "/show" })).status, 200);
});

/** Builds a frame that belongs to no stream (RFC 9113 section 4.1). */
function frame(type: number, payload: Buffer, flags = 0): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  return Buffer.concat([head, payload]);
}

test("a client that sends many settings and pings, and reads no answer, is disconnected", async () => {
  const { hostname, port } = new URL(origin);
  const socket = connectTls({ host: hostname, port: Number(port), ca, ALPNProtocols: ["h2"] });
  await once(socket, "secureConnect");
  socket.on("error", () => undefined).pause();
  const closed = once(socket, "close");
  socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  socket.write(frame(4, Buffer.alloc(0)));
  const flood = Buffer.concat(
    Array.from({ length: 5000 }, (_, i) => frame(i % 2 === 0 ? 4 : 6, Buffer.alloc(i % 2 === 0 ? 0 : 8))),
  );
  const isGone = (): boolean => socket.destroyed;
  for (let n = 0; n < 400 && !isGone(); n++)
    await Promise.race([new Promise((resolve) => socket.write(flood, resolve)), closed]);
  assert.ok(isGone(), "the client was not disconnected");
  assert.equal((await ask(await session(), { ":path": "/show" })).status, 200);
});

test("a stop closes idle connections and unfinished handshakes at once", async () => {
  const { caFile: _, certificateFile, keyFile } = makeCertificates(mkdtempSync(join(directory, "stop-")));
  const tls = { cert: readFileSync(certificateFile, "utf8"), key: readFileSync(keyFile, "utf8") };
  const own = await startTestServer({
    listener: { tls, http2: true },
    principals: {},
    mount: (host) => ({ name: "test", mount: (app) => mountRoute(app, host, SHOW, async () => ({}) as never) }),
  });
  const client = connect(own.url.replace("http:", "https:"), { rejectUnauthorized: false });
  client.on("error", () => undefined);
  clients.push(client);
  assert.equal((await ask(client, { ":path": "/show" })).status, 200);
  const startedMs = performance.now();
  await own.stop(20_000);
  assert.ok(performance.now() - startedMs < 10_000, "the stop waited for an idle connection");
});
