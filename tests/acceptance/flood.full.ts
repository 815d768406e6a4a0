/**
 * One credential floods queries, uploads and ingestion. The others of its organization do not wait behind it: the test
 * looks at starts and waits, not at times, because all share the processors of one machine.
 */
import assert from "node:assert/strict";
import { request, type ClientRequest } from "node:http";
import { after, test } from "node:test";
import { granted, pathIn, put } from "../fixtures/files.ts";
import { eventually } from "../fixtures/process.ts";
import { useServer, type Client, type Server } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";

const SLOW = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3";
const MIB = 1024 * 1024;
/** The actor's places and its queue are full. */
const FLOOD_QUERIES = 24;
const SMALL_QUERIES = 20;
/** More than the places of one actor. */
const SLOW_UPLOADS = 40;

const shared = useServer({
  settings: { metrics_listen: "127.0.0.1:0", rate_limit_per_second: 100_000, rate_limit_burst: 100_000 },
});

interface Running {
  readonly actor: { readonly id: string };
  readonly state: string;
}

interface Logged {
  readonly actor_id: string;
  readonly wait_ms: number;
}

/** An actor without the right to manage queries sees only its own. */
const OWN_QUERIES = "SELECT actor_id, wait_ms FROM query_log ORDER BY timestamp";

let isOver = false;
after(() => (isOver = true));

async function credential(name: string): Promise<{ id: string; token: string }> {
  const json = { name, scopes: ["telemetry:read", "telemetry:write", "files:read", "files:write"] };
  const made = await shared.server.call<Client & { id: string }>("POST", "/v1/credentials", {
    token: shared.token,
    json,
  });
  assert.equal(made.status, 201, made.text);
  return { id: made.body.id, token: await shared.server.token(made.body) };
}

function query(server: Server, token: string, sql: string, more: object = {}) {
  return server.call<{ code?: string; detail?: string }>("POST", "/v1/query", { token, json: { sql, ...more } });
}

function ingest(server: Server, token: string, count: number) {
  const at = new Date().toISOString();
  const entries = Array.from({ length: count }, (_, i) => ({
    timestamp: at,
    level: "info",
    message: `entry ${i} ${"x".repeat(200)}`,
  }));
  return server.call("POST", "/v1/ingest/logs", { token, json: { entries } });
}

/** Repeats a request of the flood until the test is over. Refusals are expected. */
async function keepOn(send: () => Promise<unknown>): Promise<void> {
  while (!isOver) await send().catch(() => undefined);
}

async function upload(server: Server, token: string, bytes: number): Promise<number> {
  const grant = await granted(server, token);
  return (await put(server, grant.upload_url, "x".repeat(bytes))).status;
}

/** Begins an upload whose content never comes completely. */
async function slowUpload(server: Server, token: string): Promise<ClientRequest> {
  const grant = await granted(server, token);
  const headers = { "content-type": "text/plain", "content-length": 64 * MIB };
  const sending = request(server.origin + pathIn(grant.upload_url), { method: "PUT", headers, agent: false });
  sending.on("error", () => undefined);
  sending.on("response", (answer) => answer.resume());
  sending.write("x".repeat(1024));
  return sending;
}

const WAITING_UPLOADS = /^mooring_uploads_waiting (\d+)$/m;
/** The uploads that began at once. */
const PROMPT_UPLOADS = /^mooring_upload_wait_seconds_bucket\{le="0\.01"\} (\d+)$/m;

async function metric(pattern: RegExp): Promise<number> {
  const address = /^\s*metrics\s+(http:\S+)$/m.exec(shared.server.stdout())?.[1] ?? "";
  return Number(pattern.exec(await (await fetch(address)).text())?.[1] ?? 0);
}

test("nobody of the organization waits behind a credential that floods queries, uploads and ingestion", async () => {
  const { server } = shared;
  const [flood, other] = [await credential("flood"), await credential("other")];
  const floods: Promise<void>[] = [];
  const refused: string[] = [];
  for (let i = 0; i < FLOOD_QUERIES; i++)
    floods.push(
      keepOn(async () => {
        const answer = await query(server, flood.token, SLOW, { timeout_ms: 2000 });
        if (answer.status === 429) refused.push(String(answer.body.detail));
      }),
    );
  for (let i = 0; i < 4; i++) floods.push(keepOn(() => ingest(server, flood.token, 500)));
  for (let i = 0; i < 4; i++) floods.push(keepOn(() => upload(server, flood.token, 4 * MIB)));
  const slow = await Promise.all(Array.from({ length: SLOW_UPLOADS }, () => slowUpload(server, flood.token)));
  await eventually("the flood to fill its queue", () => (refused.length > 0 ? true : null));
  await eventually("the flood to fill its places for uploads", async () =>
    (await metric(WAITING_UPLOADS)) > 0 ? true : null,
  );
  const prompt = await metric(PROMPT_UPLOADS);

  for (let i = 0; i < SMALL_QUERIES; i++) {
    const answer = await query(server, other.token, "SELECT 1 AS one", { timeout_ms: 60_000 });
    assert.equal(answer.status, 200, answer.text);
  }
  for (let i = 0; i < 5; i++) {
    assert.equal((await ingest(server, other.token, 10)).status, 202);
    assert.equal(await upload(server, other.token, 1000), 200);
  }

  assert.ok((await metric(WAITING_UPLOADS)) > 0, "the flood still waits for itself");
  assert.equal((await metric(PROMPT_UPLOADS)) - prompt, 5, "each upload of the other one began at once");
  for (const each of slow) each.destroy();
  const running = await server.call<{ items: Running[] }>("GET", "/v1/queries", { token: shared.token });
  const own = running.body.items.filter(({ actor }) => actor.id === flood.id);
  assert.equal(own.filter(({ state }) => state === "running").length, 2, "half of the places of an organization");
  assert.ok(own.filter(({ state }) => state === "waiting").length <= 16);
  const small = await rows<Logged>(server, other.token, OWN_QUERIES);
  assert.equal(small.length, SMALL_QUERIES);
  assert.deepEqual(
    small.map(({ wait_ms: ms }) => ms),
    small.map(() => 0),
    "each query started at once",
  );
  assert.ok(small.every(({ actor_id: id }) => id === other.id));
  assert.match(refused[0] ?? "", /runs 2 queries at once and 16 more wait.*query_waiting_actor/);
  assert.ok((await metric(/^mooring_query_refused_total\{reason="actor_waiting"\} (\d+)$/m)) > 0);
  assert.equal(await metric(/^mooring_query_refused_total\{reason="organization_waiting"\} (\d+)$/m), 0);
  assert.ok((await metric(/^mooring_query_wait_seconds_bucket\{le="0\.001"\} (\d+)$/m)) >= SMALL_QUERIES);

  isOver = true;
  await server.call("DELETE", `/v1/queries?actor=${flood.id}`, { token: shared.token });
  await Promise.all(floods);
});
