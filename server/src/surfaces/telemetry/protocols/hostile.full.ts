/** Bodies that want memory or time: each is refused within both limits, and other requests are answered meanwhile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { compress } from "snappyjs";
import { bytesField, varint, varintField } from "../testing/protobuf.ts";
import { useProtocols } from "../testing/protocols.ts";

const place = useProtocols();
const MIB = 1024 * 1024;
/** Two cores that other tests use, too, need several times the usual time. */
const MS_MAX = 20_000;
/** Above the memory before: a body, its values, and the heap of the thread that reads it. */
const RSS_BYTES_MAX = 900 * MIB;

const PROTOBUF = { "content-type": "application/x-protobuf" };
const JSON_TYPE = { "content-type": "application/json" };
const V2 = { "content-type": "application/x-protobuf;proto=io.prometheus.write.v2.Request" };
const PROMETHEUS = "/prometheus/api/v1/write";
const LOKI = "/loki/api/v1/push";
const BULK = "/elasticsearch/_bulk";
const SPLUNK = "/splunk/services/collector";

/** A block that begins with a literal and then copies: the worst ratio of snappy. */
function snappyBomb(bytes: number, elements: number): Buffer {
  const copy = Buffer.from([(63 << 2) | 2, 1, 0]);
  return Buffer.concat([varint(bytes), Buffer.from([0, 0x0a]), ...Array.from({ length: elements }, () => copy)]);
}

/** Messages within messages, each in field 1. */
function nested(levels: number): Buffer {
  let body: Buffer = Buffer.alloc(0);
  for (let level = 0; level < levels; level++) body = bytesField(1, body);
  return body;
}

const deepJson = (levels: number): string => `{"streams":${"[".repeat(levels)}${"]".repeat(levels)}}`;
const gzip = { "content-encoding": "gzip" };
const zstd = { "content-encoding": "zstd" };

interface Case {
  readonly name: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: () => Buffer;
  readonly status: readonly number[];
}

const CASES: readonly Case[] = [
  {
    name: "snappy: a length of 4 GiB",
    path: PROMETHEUS,
    headers: PROTOBUF,
    body: () => snappyBomb(2 ** 32 - 1, 10),
    status: [413],
  },
  {
    name: "snappy: 200 MiB",
    path: LOKI,
    headers: PROTOBUF,
    body: () => snappyBomb(1 + 64 * 3_000_000, 3_000_000),
    status: [413],
  },
  {
    name: "snappy: just below the limit",
    path: PROMETHEUS,
    headers: PROTOBUF,
    body: () => snappyBomb(1 + 64 * 1_000_000, 1_000_000),
    status: [400],
  },
  {
    name: "snappy: more content than its length",
    path: PROMETHEUS,
    headers: PROTOBUF,
    body: () => snappyBomb(10, 3_000_000),
    status: [400],
  },
  {
    name: "snappy: a literal that never ends",
    path: PROMETHEUS,
    headers: PROTOBUF,
    body: () => Buffer.from([4, 63 << 2, 0xfa, 0xff, 0xff, 0xff, 1, 1, 1, 1]),
    status: [400],
  },
  { name: "gzip: 300 MiB", path: BULK, headers: gzip, body: () => gzipSync(Buffer.alloc(300 * MIB)), status: [413] },
  {
    name: "zstd: 300 MiB",
    path: "/raw/logs",
    headers: zstd,
    body: () => zstdCompressSync(Buffer.alloc(300 * MIB)),
    status: [413],
  },
  {
    name: "remote write: 100,000 nested messages",
    path: PROMETHEUS,
    headers: PROTOBUF,
    body: () => compress(nested(20_000)),
    status: [204, 400],
  },
  {
    name: "remote write: 30,000,000 empty series",
    path: PROMETHEUS,
    headers: { ...PROTOBUF, ...gzip },
    body: () => gzipSync(Buffer.alloc(60 * MIB, bytesField(1, ""))),
    status: [413],
  },
  {
    name: "remote write 2.0: 30,000,000 empty symbols",
    path: PROMETHEUS,
    headers: { ...V2, ...gzip },
    body: () => gzipSync(Buffer.alloc(60 * MIB, bytesField(4, ""))),
    status: [413],
  },
  {
    name: "remote write: a length beyond the end",
    path: PROMETHEUS,
    headers: PROTOBUF,
    body: () => compress(Buffer.concat([varint(10), varint(2 ** 31)])),
    status: [400],
  },
  {
    name: "remote write: a span of 4,000,000,000 buckets",
    path: PROMETHEUS,
    headers: PROTOBUF,
    body: () =>
      compress(
        bytesField(
          1,
          Buffer.concat([
            bytesField(1, Buffer.concat([bytesField(1, "__name__"), bytesField(2, "h")])),
            bytesField(4, bytesField(11, varintField(2, 4_000_000_000))),
          ]),
        ),
      ),
    status: [400],
  },
  {
    name: "Loki: deep JSON",
    path: LOKI,
    headers: JSON_TYPE,
    body: () => Buffer.from(deepJson(4_000_000)),
    status: [400],
  },
  {
    name: "Loki: 30,000,000 values",
    path: LOKI,
    headers: { ...JSON_TYPE, ...gzip },
    body: () => gzipSync(`{"streams":[{"stream":{},"values":[${"0,".repeat(30_000_000)}0]}]}`),
    status: [413],
  },
  {
    name: "Loki: labels without an end",
    path: LOKI,
    headers: JSON_TYPE,
    body: () =>
      Buffer.from(
        JSON.stringify({
          streams: [{ labels: `{a="${"\\".repeat(4_000_000)}`, entries: [{ ts: "2026-11-20T08:00:00Z", line: "x" }] }],
        }),
      ),
    status: [400],
  },
  {
    name: "Elasticsearch: 4,000,000 actions",
    path: BULK,
    headers: gzip,
    body: () => gzipSync('{"index":{}}\n{}\n'.repeat(4_000_000)),
    status: [413],
  },
  {
    name: "Elasticsearch: deep documents",
    path: BULK,
    headers: gzip,
    body: () => gzipSync(`{"index":{}}\n{"a":${"[".repeat(100_000)}}\n`.repeat(500)),
    status: [200],
  },
  {
    name: "Splunk: 10,000,000 opened objects",
    path: SPLUNK,
    headers: JSON_TYPE,
    body: () => Buffer.alloc(10 * MIB, "{"),
    status: [400],
  },
  {
    name: "Splunk: backslashes and quotes",
    path: SPLUNK,
    headers: gzip,
    body: () => gzipSync(`{"event":"${'\\\\\\"'.repeat(10_000_000)}`),
    status: [400],
  },
  {
    name: "raw: one line of 60 MiB",
    path: "/raw/logs",
    headers: gzip,
    body: () => gzipSync(Buffer.alloc(60 * MIB, "a=b ")),
    status: [202],
  },
];

// It also starts what later ones use.
test("the first request is answered", async () => assert.equal((await place.send("/raw/logs", "first")).status, 202));

for (const { name, path, headers, body, status } of CASES) {
  test(name, async () => {
    const bytes = body();
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    const startedMs = performance.now();
    const answer = place.send(path, bytes, headers);
    assert.equal((await place.send("/raw/logs", "meanwhile")).status, 202);
    const { status: got, text } = await answer;
    const elapsedMs = performance.now() - startedMs;
    assert.ok(status.includes(got), `${got}: ${text.slice(0, 300)}`);
    assert.ok(elapsedMs < MS_MAX, `took ${elapsedMs} ms`);
    const grown = process.memoryUsage.rss() - before;
    assert.ok(grown < RSS_BYTES_MAX, `grew by ${Math.round(grown / MIB)} MiB`);
  });
}
