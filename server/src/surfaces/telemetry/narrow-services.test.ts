import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Principal } from "#domain/identity/index.ts";
import { bearer, credentialOf, startTestServer, type TestServer } from "#http/testing/host.ts";
import { openTestTelemetry, type TestTelemetry } from "#stores/telemetry/testing/telemetry.ts";
import { createEncoderPool, createTelemetrySurface, type EncoderPool, type Tails } from "./index.ts";
import { messagesOf, readEvents } from "./testing/events.ts";
import { tailDeps } from "./testing/tails.ts";

/** Senders and readers that are limited to services. */

function limitedTo(...services: readonly string[]): Principal {
  const limits = {
    repositories: new Set<string>(),
    buckets: new Map(),
    webhooks: new Set<string>(),
    services: new Set(services),
  };
  const all = credentialOf("org_a", ["telemetry:read", "telemetry:write"]);
  return { ...all, id: `cred_${services.join("_")}`, limits };
}

let telemetry: TestTelemetry;
let encoders: EncoderPool;
let server: TestServer;
let tails: Tails;
const principals: Record<string, Principal> = {
  all: credentialOf("org_a", ["telemetry:read", "telemetry:write"]),
  shop: limitedTo("shop"),
  two: limitedTo("shop", "api"),
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

interface Sent {
  readonly status: number;
  readonly json: { errors?: { pointer: string; detail: string }[]; accepted?: number; rejected?: number };
}

async function post(path: string, token: string, body: string, more: Record<string, string> = {}): Promise<Sent> {
  const headers = { ...bearer(token), "content-type": "application/json", ...more };
  const response = await fetch(`${server.url}${path}`, { method: "POST", headers, body });
  return { status: response.status, json: (await response.json()) as Sent["json"] };
}

const send = (type: string, token: string, entries: readonly object[], more?: Record<string, string>): Promise<Sent> =>
  post(`/v1/ingest/${type}`, token, JSON.stringify({ entries }), more);

const AT = { timestamp: "2026-11-20T08:00:00Z" };
const log = (message: string, service?: string): object => ({ ...AT, level: "info", message, service });

test("one entry of another service refuses the batch, with its place", async () => {
  const entries = [log("a", "shop"), log("b", "secret-api"), log("c")];
  const { status, json } = await send("logs", "shop", entries);
  assert.equal(status, 400);
  assert.deepEqual(json.errors, [
    { pointer: "/entries/1/service", detail: "must be a service to which this credential is limited: shop" },
  ]);
  const lenient = await send("logs", "shop", entries, { prefer: "handling=lenient" });
  assert.deepEqual([lenient.status, lenient.json.accepted, lenient.json.rejected], [202, 2, 1]);
  const lines = entries.map((each) => JSON.stringify(each)).join("\n");
  assert.equal((await post("/v1/ingest/logs", "shop", lines, { "content-type": "application/x-ndjson" })).status, 400);
});

test("one service is filled in, and with several the entry must name it", async () => {
  assert.equal((await send("logs", "two", [log("x")])).status, 400);
  assert.equal((await send("logs", "two", [log("x", "api")])).status, 202);
  const span = { ...AT, trace_id: "t", span_id: "s", name: "GET", duration_ms: 1, status: "ok" };
  assert.equal((await send("traces", "shop", [span])).status, 202);
  assert.equal((await send("traces", "shop", [{ ...span, service: "api" }])).status, 400);
});

test("a sample's service is its tag, as in SQL", async () => {
  const sample = (tags?: object): object => ({ ...AT, name: "m", value: 1, tags });
  for (const tags of [undefined, {}, { a: "b" }, { service: "shop" }, { "service.name": "shop", service: "other" }])
    assert.equal((await send("metrics", "shop", [sample(tags)])).status, 202, JSON.stringify(tags));
  for (const tags of [{ service: "api" }, { "service.name": "api", service: "shop" }]) {
    const { status, json } = await send("metrics", "shop", [sample(tags)]);
    assert.equal(status, 400, JSON.stringify(tags));
    assert.match(json.errors?.[0]?.pointer ?? "", /^\/entries\/0\/tags\/service/);
  }
});

test("OTLP accepts the records of the service, and reports the others", async () => {
  const resource = (...names: string[]) => ({
    attributes: names.map((stringValue) => ({ key: "service.name", value: { stringValue } })),
  });
  const scopeLogs = [{ logRecords: [{ body: { stringValue: "x" } }] }];
  const body = (...resources: object[]): string =>
    JSON.stringify({ resourceLogs: resources.map((each) => ({ resource: each, scopeLogs })) });
  const own = await post("/otlp/v1/logs", "shop", body(resource("shop"), resource()));
  assert.deepEqual([own.status, own.json], [200, {}]);
  for (const foreign of [resource("secret-api"), resource("shop", "secret-api")]) {
    const { status, json } = await post("/otlp/v1/logs", "shop", body(foreign));
    assert.equal(status, 200);
    assert.match(JSON.stringify(json), /"rejectedLogRecords":"1".*\/service must be a service to which/);
  }
});

test("a tail has the entries of its services only, also after a resumption", async () => {
  await using narrow = await readEvents(`${server.url}/v1/tail/logs`, bearer("shop"));
  await using all = await readEvents(`${server.url}/v1/tail/logs`, bearer("all"));
  for (const reader of [narrow, all])
    await reader.find("its beginning", ({ event }) => event === "position" || event === "gap");
  const messages = ["one", "hidden", "none", "two"];
  const services = ["shop", "secret-api", undefined, "shop"];
  await send(
    "logs",
    "all",
    messages.map((message, i) => log(message, services[i])),
  );
  const last = await narrow.find("the last", ({ event, data }) => event === "entry" && data.includes('"two"'));
  assert.deepEqual(messagesOf(narrow.events), ["one", "two"]);
  const hidden = await all.find("the hidden one", ({ data }) => data.includes('"hidden"'));
  for (const id of [hidden.id, last.id]) {
    const headers = { ...bearer("shop"), "last-event-id": String(id) };
    await using again = await readEvents(`${server.url}/v1/tail/logs`, headers);
    await send("logs", "all", [log("hidden later", "secret-api"), log("later", "shop")]);
    await again.find("the later one", ({ data }) => data.includes('"later"'));
    assert.ok(!again.events.some(({ data }) => data.includes("hidden")));
  }
});
