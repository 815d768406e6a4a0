/**
 * A hundred times: a writer for each protocol, SIGKILL at a random moment, a new start, and the same bytes again. SQL
 * returns every acknowledged row, once each. The kills hit every protocol, since all writers run at once.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../fixtures/ports.ts";
import { PROTOCOL_BODIES, type ProtocolBody } from "../fixtures/protocol-bodies.ts";
import { startServer, type Bootstrap, type Server } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";

/** Fewer while the test is changed. */
const KILLS = Number(process.env["MOORING_TEST_KILLS"] ?? 100);
const ROWS = 3;
const SETTINGS = {
  // Small, so that compaction runs within every round and kills hit it.
  compaction_rows_bytes: 65_536,
  compaction_interval_ms: 300,
  rate_limit_per_second: 100_000,
  rate_limit_burst: 100_000,
};

interface Sent {
  readonly ids: readonly string[];
  readonly request: ProtocolBody;
}

/** What one protocol's writer has sent. */
interface Writer {
  readonly name: string;
  readonly acknowledged: Set<string>;
  /** Sent without an answer, by a kill. */
  open: Sent[];
  count: number;
}

const writers: readonly Writer[] = Object.keys(PROTOCOL_BODIES).map((name) => ({
  name,
  acknowledged: new Set(),
  open: [],
  count: 0,
}));
const ALL = "(select message as id from logs union all select name as id from metrics)";

async function post(origin: string, key: string, { path, headers, body }: ProtocolBody): Promise<boolean> {
  const answer = await fetch(origin + path, {
    method: "POST",
    headers: { ...headers, "x-api-key": key },
    body: new Uint8Array(body),
  }).catch(() => null);
  if (answer === null) return false;
  const text = await answer.text().catch(() => null);
  if (text === null) return false;
  assert.ok(answer.status < 300 || answer.status === 503, `${path}: ${answer.status} ${text}`);
  return answer.status < 300;
}

/** Sends until a request gets no answer. */
async function write(writer: Writer, origin: string, key: string): Promise<void> {
  for (;;) {
    const number = writer.count++;
    const ids = Array.from({ length: ROWS }, (_, row) => `${prefixOf(writer.name)}_${number}_${row}`);
    const request = (PROTOCOL_BODIES[writer.name] as (ids: readonly string[], ms: number) => ProtocolBody)(
      ids,
      Date.now(),
    );
    const sent = { ids, request };
    writer.open.push(sent);
    if (!(await post(origin, key, request))) return;
    writer.open.splice(writer.open.indexOf(sent), 1);
    for (const id of ids) writer.acknowledged.add(id);
  }
}

/** Sends what got no answer again, until it gets one. Returns how many of these bodies were stored before. */
async function resend(server: Server, token: string, key: string): Promise<number> {
  const open = writers.flatMap((writer) => writer.open.map((sent) => ({ writer, sent })));
  const list = open.flatMap(({ sent }) => sent.ids.map((id) => `'${id}'`)).join(", ");
  const found =
    list === "" ? [] : await rows<{ id: string }>(server, token, `select id from ${ALL} where id in (${list})`);
  const there = new Set(found.map(({ id }) => id));
  for (const { writer, sent } of open) {
    const present = sent.ids.filter((id) => there.has(id)).length;
    assert.ok(present === 0 || present === ROWS, `${writer.name}: half a body is there`);
    assert.equal(await post(server.origin, key, sent.request), true, writer.name);
    for (const id of sent.ids) writer.acknowledged.add(id);
  }
  for (const writer of writers) writer.open = [];
  return there.size / ROWS;
}

/** Every body that was sent is acknowledged by now, so the numbers must be equal. */
async function compare(server: Server, token: string): Promise<void> {
  const found = await rows<{ name: string; there: number; different: number }>(
    server,
    token,
    `select regexp_replace(id, '_\\d+_\\d+$', '') as name, count(*) as there, count(distinct id) as different from ${ALL} group by 1`,
  );
  for (const { name, acknowledged } of writers) {
    const row = found.find((each) => each.name === prefixOf(name));
    const expected = { there: acknowledged.size, different: acknowledged.size };
    assert.deepEqual({ there: Number(row?.there), different: Number(row?.different) }, expected, name);
  }
}

function prefixOf(name: string): string {
  return name.replaceAll(/\W/g, "_");
}

test(`${KILLS} kills under load of every protocol lose and double nothing`, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-protocols-"));
  const settings = { ...SETTINGS, listen: `127.0.0.1:${await freePort()}` };
  let server = await startServer({ dataDir, settings });
  try {
    const home: Bootstrap = await server.bootstrap();
    const made = await server.call<{ key: string }>("POST", "/v1/ingest-keys", {
      token: await server.token(home.credential),
      json: { name: "writer", project: home.project.slug },
    });
    assert.equal(made.status, 201, made.text);
    const { key } = made.body;
    let [cut, storedBefore] = [0, 0];
    for (let round = 0; round < KILLS; round++) {
      const { origin } = server;
      const ended = Promise.all(writers.map((writer) => write(writer, origin, key)));
      await delay(20 + Math.random() * 250);
      await server.kill();
      await ended;
      cut += writers.reduce((sum, { open }) => sum + open.length, 0);
      server = await startServer({ dataDir, settings });
      storedBefore += await resend(server, await server.token(home.credential), key);
    }
    const token = await server.token(home.credential);
    await compare(server, token);
    const each = writers.map(({ name, acknowledged }) => `${name} ${acknowledged.size}`).join(", ");
    t.diagnostic(
      `${KILLS} kills; rows acknowledged: ${each}; ${cut} bodies cut off, ${storedBefore} of them were stored`,
    );
    assert.ok(cut >= KILLS * 4, `too few bodies were in flight: ${cut}`);
    assert.ok(storedBefore > 0, "no kill came between the flush and the answer");
  } finally {
    await server.dispose();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
