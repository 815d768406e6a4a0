import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { compress } from "snappyjs";
import { bytesField, varintField } from "../../testing/protobuf.ts";
import { useProtocols, type Sent } from "../../testing/protocols.ts";
import { labelsOf } from "./labels.ts";

const place = useProtocols();
const NANOS = "1790000000123456789";
const TIME = "2026-09-21T14:13:20.123456Z";

function push(body: unknown, headers: Record<string, string> = {}, path = "/loki/api/v1/push"): Promise<Sent> {
  const bytes = Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return place.send(path, bytes, { "content-type": "application/json", ...headers });
}

const one = (stream: Record<string, unknown>, ...value: readonly unknown[]): unknown => ({
  streams: [{ stream, values: [value] }],
});

async function rowOf(message: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await place.rows(
    `select timestamp, level, service, trace_id, span_id, attributes from logs where message = '${message}'`,
  );
  return row;
}

test("JSON: labels and metadata become attributes, level, service and trace", async () => {
  const metadata = { trace_id: "t1", span_id: "s1", user: "7" };
  const stream = { app: "shop", level: "warn", region: "eu", "7": "seven" };
  const answer = await push(one(stream, NANOS, "card refused", metadata));
  assert.deepEqual([answer.status, answer.text], [204, ""]);
  assert.deepEqual(await rowOf("card refused"), {
    timestamp: TIME,
    level: "warn",
    service: "shop",
    trace_id: "t1",
    span_id: "s1",
    attributes: { app: "shop", level: "warn", region: "eu", "7": "seven", ...metadata },
  });
});

test("a line of JSON has its fields; times may be numbers; the body may be gzip", async () => {
  const line = JSON.stringify({ message: "from JSON", level: "error", order: 7, bad: "\ud800" });
  const body = JSON.stringify(one({ job: "api" }, "T", line)).replace('"T"', NANOS);
  assert.equal((await push(gzipSync(body), { "content-encoding": "gzip" })).status, 204);
  const row = await rowOf("from JSON");
  assert.deepEqual([row?.["timestamp"], row?.["level"], row?.["service"]], [TIME, "error", "api"]);
  assert.deepEqual(row?.["attributes"], { order: 7, bad: "\ufffd", job: "api" });
});

test("the older form has labels as text and times of RFC 3339, at both paths", async () => {
  const entries = [{ ts: "2026-11-20T08:00:00+01:00", line: "old form" }];
  const body = { streams: [{ labels: '{app="py\\u0021", severity="info"}', entries }] };
  assert.equal((await push(body, {}, "/api/prom/push")).status, 204);
  const row = await rowOf("old form");
  assert.deepEqual([row?.["timestamp"], row?.["level"], row?.["service"]], ["2026-11-20T07:00:00Z", "info", "py!"]);
});

test("protobuf is a block of snappy, also when no field says so", async () => {
  const time = bytesField(1, Buffer.concat([varintField(1, 1_790_000_000), varintField(2, 123_456_789)]));
  const metadata = bytesField(3, Buffer.concat([bytesField(1, "span_id"), bytesField(2, "s9")]));
  const entry = bytesField(2, Buffer.concat([time, bytesField(2, "from protobuf"), metadata]));
  const body = bytesField(1, Buffer.concat([bytesField(1, '{service_name="api", detected_level="debug"}'), entry]));
  const answer = await push(compress(body), { "content-type": "application/x-protobuf" });
  assert.deepEqual([answer.status, answer.text], [204, ""]);
  const row = await rowOf("from protobuf");
  const { timestamp, level, service, span_id } = row ?? {};
  assert.deepEqual(
    { timestamp, level, service, span_id },
    { timestamp: TIME, level: "debug", service: "api", span_id: "s9" },
  );
});

test("400 names the first bad entry, and the others are stored, once", async () => {
  const values = [
    [NANOS, "good"],
    ["yesterday", "bad"],
  ];
  const body = {
    streams: [
      { stream: {}, values },
      { labels: "app=x", entries: [{ ts: TIME, line: "unlabelled" }] },
    ],
  };
  const answers = [await push(body), await push(body)];
  for (const { status, text } of answers) {
    assert.equal(status, 400);
    assert.match(text, /^2 entries were refused, the others are stored; entry "bad": .*nanoseconds/);
  }
  assert.equal((await place.rows("select 1 as one from logs where message = 'good'")).length, 1);
});

test("handshakes, and refusals in text", async () => {
  assert.deepEqual((await place.send("/ready", undefined, {}, "GET")).text, "ready\n");
  assert.equal((await place.send("/loki/api/v1/status/buildinfo", undefined, {}, "GET")).status, 200);
  for (const [method, path] of [
    ["POST", "/loki/api/v1/push"],
    ["POST", "/api/prom/push"],
    ["GET", "/ready"],
    ["GET", "/loki/api/v1/status/buildinfo"],
  ] as const) {
    const body = method === "GET" ? undefined : "{}";
    assert.equal((await place.send(path, body, { authorization: "" }, method)).status, 401);
    assert.equal((await place.send(path, body, { authorization: "Bearer reader" }, method)).status, 403);
  }
  assert.equal((await push({}, { "content-type": "text/plain" })).status, 415);
  for (const bad of ["{", "[]", '{"streams":1}', `${"[".repeat(100)}`]) {
    const answer = await push(Buffer.from(bad));
    assert.deepEqual([answer.status, answer.headers.get("content-type")], [400, "text/plain; charset=utf-8"]);
  }
});

test("labels as text have Go's escapes", () => {
  assert.deepEqual(labelsOf('{a="x\\n\\"\\\\\\x41\\101\\u00fc\\U0001f600", b=`raw\\n`,c.d="",}'), [
    ["a", 'x\n"\\AAü😀'],
    ["b", "raw\\n"],
    ["c.d", ""],
  ]);
  for (const bad of ["", "{", '{a="x"', "{a=x}", '{a="\\q"}', '{a="\\U00110000"}', '{="x"}']) {
    assert.equal(labelsOf(bad), undefined, bad);
  }
});
