/** POST /v1/ingest/{type} at every limit and one past it, and hostile bodies. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { refused, type Answer } from "../fixtures/http.ts";
import { useSharedServer } from "../fixtures/server.ts";
import { EXAMPLES, ingest, ingested, logEntry, rows, type Entry, type IngestResult } from "../fixtures/telemetry.ts";

const MIB = 1024 * 1024;
const BODY_BYTES_MAX = 10 * MIB;
const ENTRY_BYTES_MAX = 256 * 1024;

const shared = useSharedServer();

function post(
  raw: string | Uint8Array | ReadableStream,
  headers: Record<string, string> = {},
  type = "logs",
): Promise<Answer<IngestResult>> {
  return shared.server.call<IngestResult>("POST", `/v1/ingest/${type}`, { token: shared.token, raw, headers });
}

function send(entries: readonly unknown[]): Promise<Answer<IngestResult>> {
  return ingest(shared.server, shared.token, "logs", entries);
}

function count(id: string): Promise<number> {
  return rows(shared.server, shared.token, `select 1 from logs where message = '${id}'`).then((found) => found.length);
}

/** Returns a valid body of exactly `bytes` bytes, padded with white space. */
function bodyOf(bytes: number, id: string): string {
  const body = JSON.stringify({ entries: [logEntry(id)] });
  return body.slice(0, -1) + " ".repeat(bytes - body.length) + "}";
}

/** The bytes in chunks, so that no Content-Length is sent. */
function chunked(text: string): ReadableStream {
  const bytes = Buffer.from(text);
  let at = 0;
  return new ReadableStream({
    pull: (controller) => {
      controller.enqueue(bytes.subarray(at, at + 65_536));
      at += 65_536;
      if (at >= bytes.length) controller.close();
    },
  });
}

test("a request has 0, 1 and 1000 entries but not 1001", async () => {
  for (const length of [0, 1, 1000]) {
    const id = randomUUID();
    await ingested(
      shared.server,
      shared.token,
      "logs",
      Array.from({ length }, () => logEntry(id)),
    );
    assert.equal(await count(id), length);
  }
  const id = randomUUID();
  refused(await send(Array.from({ length: 1001 }, () => logEntry(id))), 400, "invalid_body", ["/entries"]);
  assert.equal(await count(id), 0);
});

for (const [form, shape] of [
  ["with a Content-Length", (text: string) => text],
  ["in chunks", chunked],
] as const) {
  test(`a body ${form} has 10 MiB but not a byte more`, async () => {
    const id = randomUUID();
    const most = await post(shape(bodyOf(BODY_BYTES_MAX, id)));
    assert.equal(most.status, 202, most.text);
    assert.equal(await count(id), 1);
    refused(await post(shape(bodyOf(BODY_BYTES_MAX + 1, id))), 413, "body_too_large");
    assert.equal(await count(id), 1);
  });
}

test("a refusal reaches a caller who is still sending: 413, 415, 401", async () => {
  const body = Buffer.alloc(40 * MIB, " ");
  for (let i = 0; i < 5; i++) {
    refused(await post(body), 413, "body_too_large");
    refused(await post(body, { "content-type": "text/plain" }), 415, "unsupported_media_type");
    refused(await shared.server.call("POST", "/v1/ingest/logs", { raw: body }), 401, "unauthorized");
    refused(
      await shared.server.call("POST", "/v1/projects", { token: shared.token, raw: body }),
      413,
      "body_too_large",
    );
  }
});

test("a full batch of 10 MiB is accepted while small requests are answered quickly", async () => {
  const id = randomUUID();
  const filler = "x".repeat(10_300);
  const big = post(
    JSON.stringify({ entries: Array.from({ length: 1000 }, () => logEntry(id, { attributes: { filler } })) }),
  );
  const startedMs = performance.now();
  assert.equal((await shared.server.call("GET", "/livez")).status, 200);
  assert.ok(performance.now() - startedMs < 30_000, "the event loop is not blocked");
  assert.equal((await big).status, 202);
  assert.equal(await count(id), 1000);
});

/** Returns a log entry whose JSON text has exactly `bytes` bytes. */
function entryOf(bytes: number, id: string): Entry {
  const bare = JSON.stringify(logEntry(id, { attributes: { filler: "" } })).length;
  return logEntry(id, { attributes: { filler: "x".repeat(bytes - bare) } });
}

test("an entry has 256 KiB but not a byte more", async () => {
  const id = randomUUID();
  await ingested(shared.server, shared.token, "logs", [entryOf(ENTRY_BYTES_MAX, id)]);
  assert.equal(await count(id), 1);
  refused(await send([logEntry(id), entryOf(ENTRY_BYTES_MAX + 1, id)]), 400, "invalid_body", ["/entries/1"]);
});

/** Returns attributes with this depth. The attributes themselves are the first level. */
function nested(depth: number, kind: "object" | "array"): string {
  const inner = depth - 1;
  const [open, close] = kind === "object" ? ['{"a":', "}"] : ["[", "]"];
  return `{"a":${open.repeat(inner - 1)}${kind === "object" ? "{}" : "[]"}${close.repeat(inner - 1)}}`;
}

function withAttributes(attributes: string, id: string): string {
  return `{"entries":[{"timestamp":"2026-11-20T08:00:00Z","level":"info","message":"${id}","attributes":${attributes}}]}`;
}

test("attributes are nested 32 deep but not 33", async () => {
  for (const kind of ["object", "array"] as const) {
    const id = randomUUID();
    const deepest = await post(withAttributes(nested(32, kind), id));
    assert.equal(deepest.status, 202, deepest.text);
    const problem = refused(await post(withAttributes(nested(33, kind), id)), 400, "invalid_body");
    assert.match(problem.errors?.[0]?.pointer ?? "", /^\/entries\/0\/attributes/);
    const [row] = await rows<{ attributes: unknown }>(
      shared.server,
      shared.token,
      `select attributes from logs where message = '${id}'`,
    );
    assert.deepEqual(row?.attributes, JSON.parse(nested(32, kind)));
  }
});

test("an entry has 256 keys of all levels but not 257", async () => {
  const attributesOf = (keys: number): Entry => {
    const flat = Object.fromEntries(Array.from({ length: keys - 101 }, (_, i) => [`k${i}`, i]));
    return { ...flat, deep: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`d${i}`, i])) };
  };
  const id = randomUUID();
  const most = logEntry(id, { attributes: attributesOf(252) }); // timestamp, level, message and attributes are four more.
  await ingested(shared.server, shared.token, "logs", [most]);
  const problem = refused(await send([logEntry(id, { attributes: attributesOf(253) })]), 400, "invalid_body");
  assert.match(problem.errors?.[0]?.pointer ?? "", /^\/entries\/0/);
  assert.equal(await count(id), 1);
});

test("numbers are finite", async () => {
  const metric = JSON.stringify(EXAMPLES.metrics).replace("42.5", "1e400");
  refused(await post(`{"entries":[${metric}]}`, {}, "metrics"), 400, "invalid_body", ["/entries/0/value"]);
  const problem = refused(await post(withAttributes('{"deep":{"a":[1,-1e400]}}', "x")), 400, "invalid_body");
  assert.match(problem.errors?.[0]?.pointer ?? "", /^\/entries\/0\/attributes/);
  const id = randomUUID();
  const extremes = [1.7976931348623157e308, -5e-324, -0, 9007199254740992, 0.1];
  await ingested(
    shared.server,
    shared.token,
    "metrics",
    extremes.map((value) => ({ ...EXAMPLES.metrics, name: id, value })),
  );
  const found = await rows<{ value: number }>(
    shared.server,
    shared.token,
    `select value from metrics where name = '${id}' order by value`,
  );
  assert.deepEqual(
    found.map((row) => row.value + 0),
    extremes.map((value) => value + 0).toSorted((a, b) => a - b),
  );
});

test("gzip and zstd bodies are accepted; others are 415, damaged ones 400", async () => {
  const id = randomUUID();
  const body = JSON.stringify({ entries: [logEntry(id)] });
  for (const [coding, bytes] of [
    ["gzip", gzipSync(body)],
    ["zstd", zstdCompressSync(body)],
    ["GZIP", gzipSync(body)],
  ] as const) {
    const answer = await post(bytes, { "content-encoding": coding });
    assert.equal(answer.status, 202, `${coding}: ${answer.text}`);
  }
  assert.equal(await count(id), 3);
  refused(await post(body, { "content-encoding": "br" }), 415, "unsupported_media_type");
  refused(await post(body, { "content-encoding": "gzip" }), 400, "invalid_body");
  refused(await post(gzipSync(body).subarray(0, -9), { "content-encoding": "gzip" }), 400, "invalid_body");
  refused(await post(zstdCompressSync(body).subarray(0, -3), { "content-encoding": "zstd" }), 400, "invalid_body");
  assert.equal(await count(id), 3);
});

function peakBytes(): number {
  const status = readFileSync(`/proc/${shared.server.pid}/status`, "utf8");
  return Number(/^VmHWM:\s+([0-9]+) kB$/m.exec(status)?.[1]) * 1024;
}

test("the limit of a body applies after decompression, and a bomb costs little", async () => {
  const id = randomUUID();
  const most = bodyOf(BODY_BYTES_MAX, id);
  assert.equal((await post(gzipSync(most), { "content-encoding": "gzip" })).status, 202);
  const bomb = Buffer.alloc(256 * MIB, " ");
  const before = process.platform === "linux" ? peakBytes() : 0;
  const startedMs = performance.now();
  for (const [coding, bytes] of [
    ["gzip", gzipSync(bomb)],
    ["zstd", zstdCompressSync(bomb)],
  ] as const) {
    refused(await post(bytes, { "content-encoding": coding }), 413, "body_too_large");
    refused(
      await post(coding === "gzip" ? gzipSync(`${most} `) : zstdCompressSync(`${most} `), {
        "content-encoding": coding,
      }),
      413,
      "body_too_large",
    );
  }
  assert.ok(performance.now() - startedMs < 40_000);
  if (process.platform === "linux")
    assert.ok(peakBytes() - before < 160 * MIB, `memory grew by ${(peakBytes() - before) / MIB} MiB`);
});

test("other media types are 415, a charset is allowed", async () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/xml", "application/jsonp"]) {
    refused(await post('{"entries":[]}', { "content-type": type }), 415, "unsupported_media_type");
  }
  for (const type of ["application/json; charset=utf-8", "Application/JSON"]) {
    assert.equal((await post('{"entries":[]}', { "content-type": type })).status, 202);
  }
});

const BROKEN: readonly [string, string | Uint8Array][] = [
  ["nothing", ""],
  ["white space", "  \n"],
  ["half an object", "{"],
  ["half a string", '{"entries":["'],
  ["two values", '{"entries":[]} {}'],
  ["a trailing comma", '{"entries":[],}'],
  ["single quotes", "{'entries':[]}"],
  ["NaN", '{"entries":[NaN]}'],
  ["a raw line break in a string", '{"entries":["a\nb"]}'],
  ["invalid UTF-8", Buffer.from([...Buffer.from('{"entries":["'), 0xff, 0xfe, ...Buffer.from('"]}')])],
  ["an overlong UTF-8 sequence", Buffer.from([...Buffer.from('{"entries":["'), 0xc0, 0xaf, ...Buffer.from('"]}')])],
  ["null", "null"],
  ["a number", "5"],
  ["an array", "[]"],
  ["5 million brackets", "[".repeat(5_000_000)],
  ["5 million braces", '{"a":'.repeat(1_000_000)],
  ["deep nesting around", `{"entries":${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`],
];

for (const [name, body] of BROKEN) {
  test(`a body of ${name} is 400 and does not harm the server`, async () => {
    refused(await post(body), 400, "invalid_body");
    assert.equal((await shared.server.call("GET", "/readyz")).status, 200);
  });
}

test("a member beside entries, or instead of it, is refused with a pointer", async () => {
  refused(await post('{"entries":[],"more":1}'), 400, "invalid_body", ["/more"]);
  refused(await post("{}"), 400, "invalid_body", ["/entries"]);
  for (const entries of ["{}", "null", '"x"', "5"])
    refused(await post(`{"entries":${entries}}`), 400, "invalid_body", ["/entries"]);
});

test("lone surrogates are replaced and break no query", async () => {
  const id = randomUUID();
  const answer = await post(
    withAttributes(String.raw`{"\ud800k":"a\udc00","nul":"a\u0000b","pair":"\ud83d\ude00"}`, id),
  );
  assert.equal(answer.status, 202, answer.text);
  const [row] = await rows<{ attributes: unknown }>(
    shared.server,
    shared.token,
    `select attributes from logs where message = '${id}'`,
  );
  assert.deepEqual(row?.attributes, { "\ufffdk": "a\ufffd", nul: "a\u0000b", pair: "\u{1f600}" });
});

test("odd but valid text comes back unchanged", async () => {
  const id = randomUUID();
  const texts = [
    "",
    "line\nbreak\r\ttab",
    'quote " back \\ slash',
    "\u2028\u2029\ufeff",
    "\u{1f9d1}\u200d\u{1f680}",
    "'; drop table logs; --",
    "\u0000",
    "\u007f\u0080",
  ];
  await ingested(
    shared.server,
    shared.token,
    "logs",
    texts.map((message, i) => logEntry(message, { attributes: { id, i } })),
  );
  const sql = `select message from logs where attributes->>'id' = '${id}' order by (attributes->>'i')::int`;
  const found = await rows<{ message: string }>(shared.server, shared.token, sql);
  assert.deepEqual(
    found.map((row) => row.message),
    texts,
  );
});

test("attributes named like parts of JavaScript are data", async () => {
  const id = randomUUID();
  const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"x","hasOwnProperty":null}';
  assert.equal((await post(withAttributes(text, id))).status, 202);
  const [row] = await rows<{ attributes: unknown }>(
    shared.server,
    shared.token,
    `select attributes from logs where message = '${id}'`,
  );
  assert.equal(JSON.stringify(row?.attributes), text);
});
