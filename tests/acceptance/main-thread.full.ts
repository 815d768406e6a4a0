/** The time of the event loop for the largest bodies of the main port. All requests wait for it. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { filled, list, send, testCosts, type HeavyCase } from "../fixtures/heavy-requests.ts";
import { basic } from "../fixtures/http.ts";
import { startServer, type Bootstrap, type Server } from "../fixtures/server.ts";

let server: Server;
let home: Bootstrap;
let token: string;
before(async () => {
  const limits = { rate_limit_per_second: 100_000, rate_limit_burst: 100_000 };
  server = await startServer({ settings: { ...limits, log_level: "error" } });
  home = await server.bootstrap();
  token = await server.token(home.credential);
});
after(() => server.dispose());

test("a search of webhook events blocks the event loop for at most 20 ms", async (t) => {
  const at = server.origin + new URL(home.webhook.url).pathname;
  const headers = { "content-type": "application/json" };
  const post = async (i: number, bytes: number): Promise<void> => {
    const body = Buffer.from(`{"n":"${i}","a":[${list(bytes / 10, (n) => `{"b":${n}}`, ",")}]}`);
    assert.equal((await send({ url: at, headers, body })).status, 202);
  };
  const search = (name: string, query: string): HeavyCase => ({
    name,
    statuses: [200],
    request: () => ({
      method: "GET",
      url: `${server.origin}/v1/webhooks/${home.webhook.id}/events?${query}`,
      headers: { authorization: `Bearer ${token}` },
      body: Buffer.alloc(0),
    }),
  });
  const cases = ["q=absent", "pointer=/a/9/c=1", "header=x-absent:1"].map((query) => search(query, query));
  for (let i = 0; i < 1_200; i++) await post(i, 100);
  await testCosts(t, server.pid, cases);
  for (let i = 0; i < 40; i++) await post(i, 40_000);
  await testCosts(t, server.pid, cases);
});

test("the largest bodies of the main port block the event loop for at most 20 ms", (t) =>
  testCosts(t, server.pid, [...telemetryCases(), ...otherCases()]));

const ENTRY_BYTES = 10_300;
const json = (
  name: string,
  statuses: readonly number[],
  path: string,
  body: Buffer | ((attempt: number) => Buffer),
  more: (attempt: number) => Record<string, string> = () => ({}),
): HeavyCase => ({
  name,
  statuses,
  request: (attempt) => ({
    url: server.origin + path,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...more(attempt) },
    body: Buffer.isBuffer(body) ? body : body(attempt),
  }),
});
const entry = (i: number, attempt: number): string => {
  const attributes = Object.fromEntries(
    Array.from({ length: 200 }, (_, n) => [`key_${n}`, `${attempt}-${i}-${"v".repeat(25)}`]),
  );
  const text = { timestamp: "2026-11-20T08:00:00.123456Z", level: "info", message: "", attributes };
  return JSON.stringify({ ...text, message: "m".repeat(Math.max(0, ENTRY_BYTES - JSON.stringify(text).length)) });
};
const entries = (attempt: number): Buffer => Buffer.from(`{"entries":[${list(1000, (i) => entry(i, attempt), ",")}]}`);
const record = (i: number): object => ({
  timeUnixNano: "1790000000000000000",
  body: { stringValue: "x".repeat(100) },
  attributes: Array.from({ length: 10 }, (_, n) => ({ key: `k${n}`, value: { stringValue: `${i}` } })),
});
const otlp = Buffer.from(
  JSON.stringify({
    resourceLogs: [{ scopeLogs: [{ logRecords: Array.from({ length: 12_000 }, (_, i) => record(i)) }] }],
  }),
);
const hook = (name: string, body: string): HeavyCase => ({
  name,
  statuses: [202, 400, 413],
  request: (attempt) => ({
    url: server.origin + new URL(home.webhook.url).pathname,
    headers: { "content-type": "application/json" },
    body: Buffer.from(body.replace("ATTEMPT", String(attempt))),
  }),
});
const fields = (bytes: number): Buffer =>
  Buffer.from(list(Math.floor(bytes / 6), (i) => `&a${(i % 4096).toString(16)}=b`).slice(0, bytes));
const form = (path: string, bytes: number): HeavyCase => ({
  name: `${path} with ${bytes} bytes of fields`,
  statuses: [400, 401, 413],
  request: () => ({
    url: server.origin + path,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...basic(home.credential.client_id, home.credential.client_secret),
    },
    body: fields(bytes),
  }),
});
const MIB = 1024 * 1024 - 64;

function telemetryCases(): HeavyCase[] {
  return [
    json("ingest, 1,000 entries of 10 MiB", [202], "/v1/ingest/logs", entries),
    json("ingest with a key", [202], "/v1/ingest/logs", entries, (attempt) => ({
      "idempotency-key": `k${attempt}-${Date.now()}`,
    })),
    json(
      "ingest, gzip",
      [202],
      "/v1/ingest/logs",
      (attempt) => gzipSync(entries(attempt + 10)),
      () => ({ "content-encoding": "gzip" }),
    ),
    json("ingest, half a MiB", [202], "/v1/ingest/logs", (attempt) =>
      Buffer.from(`{"entries":[${list(50, (i) => entry(i, attempt + 20), ",")}]}`),
    ),
    json(
      "ingest, hostile",
      [400],
      "/v1/ingest/logs",
      Buffer.from(`{"entries":[${filled(10_000_000, '{"a":[]},')}{}]}`),
    ),
    json("OTLP, 12,000 records", [200], "/otlp/v1/logs", otlp),
    json(
      "OTLP, hostile",
      [200, 400],
      "/otlp/v1/logs",
      Buffer.from(`{"resourceLogs":[${filled(8_000_000, '{"a":[]},')}{}]}`),
    ),
  ];
}

function otherCases(): HeavyCase[] {
  return [
    json(
      "query, 1 MiB of objects",
      [400],
      "/v1/query",
      Buffer.from(`{"sql":"SELECT 1","parameters":[${filled(MIB - 100, '{"a":[]},')}1]}`),
    ),
    json(
      "query, 1 MiB of members",
      [400],
      "/v1/query",
      Buffer.from(`{"sql":"SELECT 1"${list(80_000, (i) => `,"a${i.toString(36)}":[]`)}}`.slice(0, MIB)),
    ),
    json("query, nested", [400], "/v1/query", Buffer.from(filled(MIB, "["))),
    json(
      "credential, 1 MiB of scopes",
      [400],
      "/v1/credentials",
      Buffer.from(`{"name":"x","scopes":[${filled(MIB - 100, '"s",')}"s"]}`),
    ),
    hook("webhook, 1 MiB of long numbers", `{"n":"ATTEMPT","a":[${filled(MIB - 100, "0.12345678901234567,")}1]}`),
    hook("webhook, 1 MiB of objects", `{"n":"ATTEMPT","a":[${filled(MIB - 100, '{"a":[]},')}1]}`),
    hook("webhook, 1 MiB of text", `{"n":"ATTEMPT","a":"${filled(MIB - 100, "text")}"}`),
    form("/oauth/token", 16_000),
    form("/v2/token", 64_000),
  ];
}
