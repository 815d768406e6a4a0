import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { bearer, credentialOf, startTestServer, type TestServer } from "#http/testing/host.ts";
import { INGEST_BODY_BYTES_MAX } from "#kernel/limits.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import { openTestTelemetry, type TestTelemetry } from "#stores/telemetry/testing/telemetry.ts";
import { createEncoderPool, createTelemetrySurface, type EncoderPool } from "../index.ts";
import { tailDeps } from "../testing/tails.ts";
import { batchesOf } from "../protocols/append-once.ts";
import { TEST_ORIGIN } from "#stores/telemetry/testing/origin.ts";

let telemetry: TestTelemetry;
let store: TelemetryStore;
let encoders: EncoderPool;
let server: TestServer;

before(async () => {
  telemetry = await openTestTelemetry();
  ({ store } = telemetry);
  encoders = createEncoderPool({ workers: 1 });
  server = await startTestServer({
    principals: {
      writer: credentialOf("org_a", ["telemetry:write"], "prj_a"),
      reader: credentialOf("org_b", ["telemetry:read"]),
    },
    mount: (host) => createTelemetrySurface({ host, store, encoders, ...tailDeps(telemetry) }),
  });
});

after(async () => {
  await server.stop();
  await encoders.close();
  await telemetry.close();
});

const PROTOBUF = { "content-type": "application/x-protobuf" };
const logs = (...messages: string[]): object => ({
  resourceLogs: [{ scopeLogs: [{ logRecords: messages.map((stringValue) => ({ body: { stringValue } })) }] }],
});

async function send(
  body: object | string | Uint8Array,
  headers: Record<string, string> = {},
  type = "logs",
): Promise<Response> {
  const bytes = body instanceof Uint8Array ? new Uint8Array(body) : null;
  return fetch(`${server.url}/otlp/v1/${type}`, {
    method: "POST",
    body: bytes ?? (typeof body === "string" ? body : JSON.stringify(body)),
    headers: { ...bearer("writer"), "content-type": "application/json", ...headers },
  });
}

async function statusOf(response: Response): Promise<{ status: number; code: unknown; message: unknown }> {
  const { code, message } = (await response.json()) as Record<string, unknown>;
  return { status: response.status, code, message };
}

async function rowsOf(sql: string): Promise<Record<string, unknown>[]> {
  const run = await store.query({
    orgId: "org_a",
    origin: TEST_ORIGIN,
    visible: "all",
    sql,
    parameters: [],
    format: "ndjson",
    timeoutMs: 20_000,
    memoryBytesMax: 2 ** 28,
    rowsMax: 10_000,
    truncate: false,
    signal: new AbortController().signal,
  });
  const lines = (await text(run.body)).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("200 with an empty response in the type of the request, for each type of telemetry and for none", async () => {
  for (const type of ["logs", "metrics", "traces"]) {
    const json = await send({}, {}, type);
    assert.deepEqual(
      [json.status, json.headers.get("content-type"), await json.text()],
      [200, "application/json", "{}"],
    );
    const protobuf = await send(new Uint8Array(), PROTOBUF, type);
    assert.deepEqual([protobuf.status, protobuf.headers.get("content-type")], [200, "application/x-protobuf"]);
    assert.equal((await protobuf.arrayBuffer()).byteLength, 0);
  }
  assert.equal((await send({}, { "content-type": "application/json; charset=utf-8" })).status, 200);
});

test("SQL finds accepted records, with the project of the credential", async () => {
  assert.equal((await send(logs("found"))).status, 200);
  const [row] = await rowsOf("select message, project_id from logs where message = 'found'");
  assert.deepEqual(row, { message: "found", project_id: "prj_a" });
});

test("an equal body is stored once if all its records have times, and each time otherwise", async () => {
  const timed = { timeUnixNano: "1790000000000000000", body: { stringValue: "repeated" } };
  const bodyOf = (...logRecords: object[]): object => ({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
  const count = async (message: string): Promise<unknown> =>
    (await rowsOf(`select count(*) as n from logs where message = '${message}'`))[0]?.["n"];
  for (let attempt = 0; attempt < 3; attempt++) {
    assert.equal((await send(bodyOf(timed, timed))).status, 200);
    assert.equal((await send(bodyOf({ body: { stringValue: "untimed" } }))).status, 200);
  }
  assert.deepEqual([await count("repeated"), await count("untimed")], [2, 3]);
  assert.equal((await send(bodyOf(timed))).status, 200);
  assert.equal(await count("repeated"), 3);
});

test("a record with 300 attributes is cut, which is reported with nothing refused", async () => {
  const request = logs("cut");
  const records = (request as { resourceLogs: [{ scopeLogs: [{ logRecords: object[] }] }] }).resourceLogs[0]
    .scopeLogs[0];
  const attributes = Array.from({ length: 300 }, (_, at) => ({ key: `k${at}`, value: { intValue: at } }));
  records.logRecords[0] = { body: { stringValue: "cut" }, attributes };
  const errorMessage = "1 log records were cut; record 0 was cut: 51 of its attributes are beyond 256 keys";
  const response = await send(request);
  assert.deepEqual(await response.json(), { partialSuccess: { rejectedLogRecords: "0", errorMessage } });
  assert.equal(response.status, 200);
  const [row] = await rowsOf(
    "select len(json_keys(attributes)) as n, attributes->>'k0' as k from logs where message = 'cut'",
  );
  assert.deepEqual(row, { n: 249, k: "0" });
});

test("a record beyond a limit is reported and the others are accepted", async () => {
  const request = logs("kept", "spoilt");
  const records = (request as { resourceLogs: [{ scopeLogs: [{ logRecords: object[] }] }] }).resourceLogs[0]
    .scopeLogs[0];
  records.logRecords[1] = { body: { stringValue: "spoilt" }, traceId: "xyz" };
  const response = await send(request);
  const errorMessage =
    "1 log records were refused, the others stored; record 1 /trace_id must have 32 hexadecimal digits";
  assert.deepEqual(await response.json(), { partialSuccess: { rejectedLogRecords: "1", errorMessage } });
  assert.equal(response.status, 200);
  assert.deepEqual(await rowsOf("select count(*) as n from logs where message in ('kept', 'spoilt')"), [{ n: 1 }]);
});

test("more records than a batch has are parsed together, by a thread", async () => {
  const messages = Array.from({ length: 5500 }, (_, at) => `many ${at}`);
  assert.equal((await send(logs(...messages))).status, 200);
  const found = await rowsOf(
    "select count(distinct message) as n, count(*) as all from logs where message like 'many %'",
  );
  assert.deepEqual(found, [{ n: 5500, all: 5500 }]);
});

test("rows are split at a thousand, and each part ends with its line", () => {
  const line = '{"a":1}\n';
  for (const [count, parts] of [
    [0, []],
    [1, [1]],
    [1000, [1000]],
    [1001, [1000, 1]],
    [2000, [1000, 1000]],
  ] as const) {
    const batches = batchesOf(Buffer.from(line.repeat(count)), count);
    assert.deepEqual(
      batches.map((batch) => [batch.count, batch.rows.toString()]),
      parts.map((part) => [part, line.repeat(part)]),
    );
  }
});

test("gzip, zstd and deflate are accepted; other codings are 415, broken ones 400, bombs 413", async () => {
  const plain = Buffer.from(JSON.stringify(logs("coded")));
  assert.equal((await send(gzipSync(plain), { "content-encoding": "gzip" })).status, 200);
  assert.equal((await send(zstdCompressSync(plain), { "content-encoding": "zstd" })).status, 200);
  // With and without the zlib header, because senders use both.
  for (const deflated of [deflateSync(plain), deflateRawSync(plain)])
    assert.equal((await send(deflated, { "content-encoding": "deflate" })).status, 200);
  for (const bomb of [deflateSync(Buffer.alloc(64 * 2 ** 20)), deflateRawSync(Buffer.alloc(64 * 2 ** 20))])
    assert.equal((await send(bomb, { "content-encoding": "deflate" })).status, 413);
  assert.equal((await send(plain, { "content-encoding": "deflate" })).status, 400);
  assert.equal((await send(plain, { "content-encoding": "br" })).status, 415);
  assert.equal((await send(plain, { "content-encoding": "gzip" })).status, 400);
  assert.equal((await send(gzipSync(Buffer.alloc(64 * 2 ** 20)), { "content-encoding": "gzip" })).status, 413);
});

test("a body at the limit is accepted, one byte more is 413", async () => {
  const body = Buffer.alloc(INGEST_BODY_BYTES_MAX, 0x20);
  body.write("{}");
  assert.equal((await send(body)).status, 200);
  const over = await statusOf(await send(Buffer.concat([body, Buffer.from(" ")])));
  assert.deepEqual([over.status, over.code], [413, 8]);
});

test("errors are a Status in the type of the request, with the header fields of HTTP", async () => {
  const broken = await statusOf(await send("{"));
  assert.deepEqual(broken, { status: 400, code: 3, message: "cannot read the body: it is not valid JSON" });
  const bytes = await send(Buffer.from([0xff]), PROTOBUF);
  assert.deepEqual([bytes.status, bytes.headers.get("content-type")], [400, "application/x-protobuf"]);
  assert.deepEqual([...new Uint8Array(await bytes.arrayBuffer()).subarray(0, 3)], [8, 3, 18]);
  const unknown = await send({}, bearer("nobody"));
  assert.match(unknown.headers.get("www-authenticate") ?? "", /invalid_token/);
  assert.deepEqual((await statusOf(unknown)).code, 16);
  assert.equal((await send({}, { authorization: "" })).status, 401);
  const forbidden = await statusOf(await send({}, bearer("reader")));
  assert.deepEqual([forbidden.status, forbidden.code], [403, 7]);
  const away = await send({}, bearer("away"));
  assert.match(away.headers.get("retry-after") ?? "", /^[0-9]+$/);
  assert.deepEqual(await statusOf(away), { status: 503, code: 14, message: "The records can't be read." });
  const other = await statusOf(await send("x", { "content-type": "text/plain" }));
  assert.deepEqual([other.status, other.code], [415, 3]);
  assert.equal((await fetch(`${server.url}/otlp/v1/logs`, { headers: bearer("writer") })).status, 405);
});

test("too many requests are 429 with Retry-After", async () => {
  const limited = await startTestServer({
    principals: { writer: credentialOf("org_a", ["telemetry:write"]) },
    rateLimit: { perSecond: 0.01, burst: 1 },
    mount: (host) => createTelemetrySurface({ host, store, encoders, ...tailDeps(telemetry) }),
  });
  try {
    const one = async (): Promise<Response> =>
      fetch(`${limited.url}/otlp/v1/traces`, {
        method: "POST",
        body: "{}",
        headers: { ...bearer("writer"), "content-type": "application/json" },
      });
    assert.equal((await one()).status, 200);
    const refused = await one();
    assert.match(refused.headers.get("retry-after") ?? "", /^[0-9]+$/);
    const { status, code } = await statusOf(refused);
    assert.deepEqual([status, code], [429, 8]);
  } finally {
    await limited.stop();
  }
});
