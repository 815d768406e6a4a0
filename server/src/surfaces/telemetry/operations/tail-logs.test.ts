import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bearer, credentialOf, startTestServer, type TestServer } from "#http/testing/host.ts";
import type { Principal } from "#domain/identity/index.ts";
import { openTestTelemetry, type TestTelemetry } from "#stores/telemetry/testing/telemetry.ts";
import { createEncoderPool, createTelemetrySurface, type EncoderPool, type Tails } from "../index.ts";
import { messagesOf, readEvents, type EventReader } from "../testing/events.ts";
import { tailDeps } from "../testing/tails.ts";

let telemetry: TestTelemetry;
let encoders: EncoderPool;
let server: TestServer;
let tails: Tails;
const principals: Record<string, Principal> = {
  a: credentialOf("org_a", ["telemetry:read", "telemetry:write"]),
  b: credentialOf("org_b", ["telemetry:read", "telemetry:write"]),
  bound: credentialOf("org_a", ["telemetry:read", "telemetry:write"], "proj_bound"),
  writer: credentialOf("org_a", ["telemetry:write"]),
};

before(async () => {
  telemetry = await openTestTelemetry();
  encoders = createEncoderPool({ workers: 1 });
  const deps = tailDeps(telemetry, 5);
  ({ tails } = deps);
  server = await startTestServer({
    principals,
    mount: (host) => createTelemetrySurface({ host, store: telemetry.store, encoders, ...deps }),
  });
});

after(async () => {
  tails.stop();
  await server.stop();
  await encoders.close();
  await telemetry.close();
});

const tail = async (search = "", token = "a", headers: Record<string, string> = {}): Promise<EventReader> => {
  const reader = await readEvents(`${server.url}/v1/tail/logs${search}`, { ...bearer(token), ...headers });
  if (reader.response.status === 200)
    await reader.find("its beginning", ({ event }) => event === "position" || event === "gap");
  return reader;
};

async function send(entries: readonly object[], token = "a"): Promise<void> {
  const response = await fetch(`${server.url}/v1/ingest/logs`, {
    method: "POST",
    headers: { ...bearer(token), "content-type": "application/json" },
    body: JSON.stringify({ entries }),
  });
  assert.equal(response.status, 202, await response.text());
}

const entry = (message: string, more: object = {}): object => ({
  timestamp: "2026-11-20T08:00:00Z",
  level: "info",
  message,
  ...more,
});

test("an entry has the form of a query's row, with the header fields for proxies", async () => {
  await using reader = await tail();
  const { headers } = reader.response;
  assert.equal(headers.get("content-type"), "text/event-stream");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("x-accel-buffering"), "no");
  assert.ok(headers.get("request-id"));
  const attributes = '{"n":12345678901234567890,"x":1.5,"é":"\\"a,b}"}';
  await fetch(`${server.url}/v1/ingest/logs`, {
    method: "POST",
    headers: { ...bearer("a"), "content-type": "application/x-ndjson" },
    body: `{"level" : "WARN", "message":"a\\"b\\\\", "timestamp":"2026-11-20T08:00:00.1200Z","attributes":${attributes}}`,
  });
  const { data } = await reader.find("the entry", ({ event }) => event === "entry");
  assert.equal(
    data,
    '{"timestamp":"2026-11-20T08:00:00.120Z","level":"WARN","severity":13,"severity_name":"warn","message":"a\\"b\\\\","service":null,"trace_id":null,' +
      `"span_id":null,"attributes":${attributes},"project_id":null}`,
  );
});

test("each filter works alone, and all together", async () => {
  const cases: [string, string[]][] = [
    ["?level=warn", ["warned", "failed"]],
    ["?level=ERROR", ["failed"]],
    ["?level=audit", ["audited"]],
    ["?service=shop", ["plain", "failed"]],
    ["?trace_id=t1", ["failed"]],
    ["?q=AIL", ["failed"]],
    ["?q=%22quoted", ['a "Quoted" word']],
    ["?attributes.http.status=500", ["failed"]],
    ["?attributes.http.status=500.0", ["failed"]],
    ["?attributes.ok=false", ["failed"]],
    ["?attributes.n=12345678901234567890", ["warned"]],
    ["?attributes.n=12345678901234567891", []],
    ["?attributes.user=ann&attributes.ok=false", ["failed"]],
    ["?attributes.constructor=x", []],
    ["?level=info&service=shop&q=fail&trace_id=t1&attributes.user=ann", ["failed"]],
  ];
  const entries = [
    entry("plain", { service: "shop" }),
    entry("warned", { level: "Warning", attributes: { n: 12345678901234567890n.toString() } }),
    entry("failed", {
      level: "err",
      service: "shop",
      trace_id: "t1",
      attributes: { "http.status": 500, ok: false, user: "ann" },
    }),
    entry("audited", { level: "AUDIT" }),
    entry('a "Quoted" word'),
    entry("the end", { service: "end" }),
  ];
  for (const [search, expected] of cases) {
    await using reader = await tail(search);
    await using all = await tail();
    await send(entries);
    await all.until("the last entry", () => messagesOf(all.events).length === entries.length);
    await reader.until(search, () => messagesOf(reader.events).length >= expected.length);
    assert.deepEqual(messagesOf(reader.events), expected, search);
  }
});

test("another organization's entries and another project's are not shown", async () => {
  await using a = await tail();
  await using bound = await tail("", "bound");
  await send([entry("of b")], "b");
  await send([entry("of the organization")]);
  await send([entry("of the project")], "bound");
  await bound.until("its project's", () => messagesOf(bound.events).length === 1);
  assert.deepEqual(messagesOf(bound.events), ["of the project"]);
  // The project is unknown, so its entries are shown to nobody else.
  await send([entry("last")]);
  await a.until("the last", () => messagesOf(a.events).includes("last"));
  assert.deepEqual(messagesOf(a.events), ["of the organization", "last"]);
});

test("Last-Event-ID continues after any entry, by field and by parameter, within and between batches", async () => {
  await using first = await tail();
  await send([entry("1"), entry("2"), entry("3")]);
  await send([entry("4"), entry("5")]);
  await first.until("all", () => messagesOf(first.events).length === 5);
  const entries = first.events.filter(({ event }) => event === "entry");
  for (const [i, { id = "" }] of entries.entries()) {
    const rest = ["1", "2", "3", "4", "5"].slice(i + 1);
    for (const [search, headers] of [
      ["", { "last-event-id": id }],
      [`?last_event_id=${id}`, {}],
    ] as const) {
      await using again = await tail(search, "a", headers);
      await again.until("the rest", () => messagesOf(again.events).length >= rest.length);
      assert.deepEqual(messagesOf(again.events), rest);
      assert.ok(again.events.every(({ event }) => event !== "gap"));
    }
  }
  assert.equal(new Set(entries.map(({ id }) => id)).size, 5);
});

test("the ID of another log is a gap with its beginning and end", async () => {
  await using reader = await tail("?last_event_id=abcdef-1-0-mhw0ubk0");
  const { data } = await reader.find("the gap", ({ event }) => event === "gap");
  const gap = JSON.parse(data) as { from: string; to: string; left_out: null; reason: string };
  assert.equal(gap.from, new Date(Number.parseInt("mhw0ubk0", 36)).toISOString());
  assert.ok(gap.to >= gap.from);
  assert.deepEqual([gap.left_out, gap.reason], [null, "too_old"]);
  await send([entry("after")]);
  await reader.until("the next entry", () => messagesOf(reader.events).length === 1);
});

test("a revoked credential, or an expired token, ends the stream within a second with the reason", async () => {
  principals["brief"] = credentialOf("org_a", ["telemetry:read"]);
  await using reader = await tail("", "brief");
  delete principals["brief"];
  const began = performance.now();
  const { data } = await reader.find("the end", ({ event }) => event === "end");
  assert.ok(performance.now() - began < 20_000);
  assert.deepEqual(JSON.parse(data), { code: "invalid_token", detail: "The token is not known." });
  await reader.until("the end of the stream", () => reader.ended);
});

test("a token that loses the scope ends the stream", async () => {
  principals["brief"] = credentialOf("org_a", ["telemetry:read"]);
  await using reader = await tail("", "brief");
  principals["brief"] = credentialOf("org_a", ["telemetry:write"]);
  const { data } = await reader.find("the end", ({ event }) => event === "end");
  assert.equal((JSON.parse(data) as { code: string }).code, "insufficient_scope");
});

test("refusals: no token, no scope, bad parameters, another type, another method", async () => {
  const status = async (search: string, headers: Record<string, string>, method = "GET"): Promise<number> =>
    (await fetch(`${server.url}/v1/tail/logs${search}`, { method, headers })).status;
  assert.equal(await status("", {}), 401);
  assert.equal(await status("", bearer("writer")), 403);
  for (const search of ["?levels=x", "?attributes.=x", "?q=", "?last_event_id=x", "?service=a&service=b"])
    assert.equal(await status(search, bearer("a")), 400, search);
  const many = Array.from({ length: 11 }, (_, i) => `attributes.a${i}=1`).join("&");
  assert.equal(await status(`?${many}`, bearer("a")), 400);
  assert.equal(await status("", { ...bearer("a"), "last-event-id": "x" }), 400);
  assert.equal(await status("", { ...bearer("a"), accept: "application/json" }), 406);
  assert.equal(await status("", bearer("a"), "POST"), 405);
  const head = await fetch(`${server.url}/v1/tail/logs`, { method: "HEAD", headers: bearer("a") });
  assert.deepEqual([head.status, head.headers.get("content-type")], [200, "text/event-stream"]);
});

test("one tail too many of an organization is 429 with Retry-After, without affecting other organizations; an end frees a place", async () => {
  const readers = await Promise.all(Array.from({ length: 5 }, () => tail()));
  const refused = await tail();
  assert.equal(refused.response.status, 429);
  assert.match(refused.response.headers.get("retry-after") ?? "", /^\d+$/);
  await using other = await tail("", "b");
  assert.equal(other.response.status, 200);
  await readers[0]?.[Symbol.asyncDispose]();
  for (;;) {
    await using again = await tail();
    if (again.response.status === 200) break;
  }
  for (const reader of readers) await reader[Symbol.asyncDispose]();
});

test("a stop ends every tail with a message, and refuses new ones", async () => {
  const deps = tailDeps(telemetry);
  const second = await startTestServer({
    principals,
    mount: (host) => createTelemetrySurface({ host, store: telemetry.store, encoders, ...deps }),
  });
  await using reader = await readEvents(`${second.url}/v1/tail/logs`, bearer("a"));
  deps.tails.stop();
  const { data } = await reader.find("the end", ({ event }) => event === "end");
  assert.equal((JSON.parse(data) as { code: string }).code, "unavailable");
  assert.equal((await fetch(`${second.url}/v1/tail/logs`, { headers: bearer("a") })).status, 503);
  const began = performance.now();
  await second.stop(10_000);
  assert.ok(performance.now() - began < 30_000, "the stop waited for a tail");
});
