import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { bearer, credentialOf, startTestServer, type TestServer } from "#http/testing/host.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import { openTestTelemetry, type TestTelemetry } from "#stores/telemetry/testing/telemetry.ts";
import { createEncoderPool, createTelemetrySurface, type EncoderPool } from "../index.ts";
import { tailDeps } from "../testing/tails.ts";

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
      writer: credentialOf("org_a", ["telemetry:write"]),
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

const entry = (message: string): object => ({ timestamp: "2026-11-20T08:00:00Z", level: "info", message });
const bodyOf = (...entries: unknown[]): string => JSON.stringify({ entries });

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

async function send(body: string | Uint8Array, headers: Record<string, string> = {}, type = "logs"): Promise<Answer> {
  const response = await fetch(`${server.url}/v1/ingest/${type}`, {
    method: "POST",
    body: typeof body === "string" ? body : new Uint8Array(body),
    headers: { ...bearer("writer"), "content-type": "application/json", ...headers },
  });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  };
}

test("202 with the number of entries, for each type and for none", async () => {
  const metric = { timestamp: "2026-11-20T08:00:00Z", name: "n", value: 1 };
  const span = {
    timestamp: "2026-11-20T08:00:00Z",
    trace_id: "t",
    span_id: "s",
    name: "n",
    duration_ms: 1,
    status: "ok",
  };
  for (const [type, one] of [
    ["logs", entry("a")],
    ["metrics", metric],
    ["traces", span],
  ] as const) {
    const answer = await send(bodyOf(one, one), {}, type);
    assert.deepEqual([answer.status, answer.body], [202, { accepted: 2 }]);
  }
  assert.deepEqual((await send(bodyOf())).body, { accepted: 0 });
});

test("without credentials 401, without the scope 403 with its name", async () => {
  assert.equal((await send(bodyOf(), { authorization: "" })).status, 401);
  assert.equal((await send(bodyOf(), bearer("nobody"))).status, 401);
  const refused = await send(bodyOf(), bearer("reader"));
  assert.deepEqual([refused.status, refused.body["required_scope"]], [403, "telemetry:write"]);
});

test("an unknown type is 400 with the parameter's name; another method 405", async () => {
  const answer = await send(bodyOf(), {}, "events");
  assert.equal(answer.status, 400);
  assert.equal((answer.body["errors"] as { pointer: string }[])[0]?.pointer, "/type");
  const get = await fetch(`${server.url}/v1/ingest/logs`, { headers: bearer("writer") });
  assert.deepEqual([get.status, get.headers.get("allow")], [405, "POST"]);
});

test("one invalid entry refuses the batch with a pointer; lenient accepts the rest and reports the others", async () => {
  const mixed = bodyOf(entry("good"), { ...entry("bad"), level: 7 });
  const strict = await send(mixed);
  assert.deepEqual(
    [strict.status, strict.body["errors"]],
    [400, [{ pointer: "/entries/1/level", detail: "must be a string" }]],
  );
  const lenient = await send(mixed, { prefer: "handling=lenient" });
  assert.equal(lenient.status, 202);
  assert.equal(lenient.headers.get("preference-applied"), "handling=lenient");
  assert.deepEqual(lenient.body, {
    accepted: 1,
    rejected: 1,
    errors: [{ pointer: "/entries/1/level", detail: "must be a string" }],
  });
});

test("gzip, zstd and deflate are accepted; other codings are 415, broken ones 400, bombs 413", async () => {
  const plain = Buffer.from(bodyOf(entry("coded")));
  assert.equal((await send(gzipSync(plain), { "content-encoding": "gzip" })).status, 202);
  assert.equal((await send(zstdCompressSync(plain), { "content-encoding": "zstd" })).status, 202);
  // With and without the zlib header, because senders use both.
  for (const deflated of [deflateSync(plain), deflateRawSync(plain)])
    assert.equal((await send(deflated, { "content-encoding": "deflate" })).status, 202);
  for (const bomb of [deflateSync(Buffer.alloc(64 * 2 ** 20)), deflateRawSync(Buffer.alloc(64 * 2 ** 20))])
    assert.equal((await send(bomb, { "content-encoding": "deflate" })).status, 413);
  assert.equal((await send(plain, { "content-encoding": "deflate" })).status, 400);
  assert.equal((await send(plain, { "content-encoding": "br" })).status, 415);
  assert.equal((await send(plain, { "content-encoding": "gzip" })).status, 400);
  assert.equal((await send(gzipSync(Buffer.alloc(64 * 2 ** 20)), { "content-encoding": "gzip" })).status, 413);
});

test("lines of JSON are accepted with each of their content types, in every coding, with keys and leniently", async () => {
  const good = `${JSON.stringify(entry("a"))}\r\n\n${JSON.stringify(entry("b"))}`;
  for (const type of ["application/x-ndjson", "application/ndjson; charset=utf-8", "Application/JSONL"]) {
    const answer = await send(good, { "content-type": type });
    assert.deepEqual([answer.status, answer.body], [202, { accepted: 2 }], type);
  }
  const lines = { "content-type": "application/x-ndjson" };
  assert.equal((await send(gzipSync(good), { ...lines, "content-encoding": "gzip" })).status, 202);
  assert.equal(
    (await send(gzipSync(Buffer.alloc(64 * 2 ** 20)), { ...lines, "content-encoding": "gzip" })).status,
    413,
  );
  const keyed = { ...lines, "idempotency-key": "lines-1" };
  assert.equal((await send(good, keyed)).headers.get("idempotency-replayed"), null);
  assert.equal((await send(good, keyed)).headers.get("idempotency-replayed"), "true");
  assert.equal((await send(`${good}\n`, keyed)).status, 422);
  const errors = [{ pointer: "/entries/2", detail: "is not valid JSON (line 4)" }];
  const strict = await send(`${good}\nbroken`, lines);
  assert.deepEqual([strict.status, strict.body["errors"]], [400, errors]);
  const lenient = await send(`${good}\nbroken`, { ...lines, prefer: "handling=lenient" });
  assert.deepEqual(lenient.body, { accepted: 2, rejected: 1, errors });
  assert.equal((await send("", lines)).status, 400);
  assert.deepEqual((await send("\n", lines)).body, { accepted: 0 });
});

test("a large body of lines is parsed in a thread with the same result", async () => {
  const line = JSON.stringify({ ...entry("x".repeat(2000)), attributes: { n: 1 } });
  const body = `${line}\n`.repeat(1000);
  assert.deepEqual((await send(body, { "content-type": "application/x-ndjson" })).body, { accepted: 1000 });
});

test("another content type is 415; an empty body 400; one byte over 10 MiB 413, with a length and without", async () => {
  assert.equal((await send(bodyOf(), { "content-type": "text/plain" })).status, 415);
  assert.equal((await send("")).status, 400);
  const over = Buffer.alloc(10 * 2 ** 20 + 1, 0x20);
  assert.equal((await send(over)).status, 413);
  const chunked = await fetch(`${server.url}/v1/ingest/logs`, {
    method: "POST",
    headers: { ...bearer("writer"), "content-type": "application/json" },
    body: new Blob([over]).stream(),
    duplex: "half",
  });
  assert.equal(chunked.status, 413);
});

test("a body of exactly 10 MiB is accepted", async () => {
  const body = Buffer.alloc(10 * 2 ** 20, 0x20);
  body.write(bodyOf(entry("large")));
  assert.deepEqual((await send(body)).body, { accepted: 1 });
});

test("an idempotency key makes a retry safe, and is refused with another body", async () => {
  const key = { "idempotency-key": "batch-1" };
  assert.deepEqual((await send(bodyOf(entry("once")), key)).body, { accepted: 1 });
  const again = await send(bodyOf(entry("once")), key);
  assert.deepEqual([again.status, again.headers.get("idempotency-replayed")], [202, "true"]);
  const other = await send(bodyOf(entry("other")), key);
  assert.deepEqual([other.status, other.body["code"]], [422, "idempotency_key_reused"]);
});
