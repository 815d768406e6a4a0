/** Rules drop, sample and mask rows of every protocol before anything of them is written. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { refused, type Answer } from "../fixtures/http.ts";
import { grpcClient, logsRequest, type GrpcClient } from "../fixtures/grpc.ts";
import { eventually } from "../fixtures/process.ts";
import { PROTOCOL_BODIES } from "../fixtures/protocol-bodies.ts";
import { useSharedServer, type Json } from "../fixtures/server.ts";
import { ingest, ingested, logEntry, rows } from "../fixtures/telemetry.ts";

interface Rule {
  readonly id: string;
  readonly rows_matched: number;
  readonly rows_removed: number;
  readonly rows_masked: number;
}

let grpc: GrpcClient;
const shared = useSharedServer(async ({ server }) => void (grpc = grpcClient(server.grpcOrigin)));
after(() => grpc.close());

const call = <T>(method: string, path: string, json?: Json): Promise<Answer<T>> =>
  shared.server.call<T>(method, path, { token: shared.token, ...(json && { json }) });

async function newRule(json: Json): Promise<Rule> {
  const answer = await call<Rule>("POST", "/v1/ingest-rules", { name: "rule", ...json });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** Runs with rules, and deletes them after it. */
async function withRules<T>(rules: readonly Json[], run: (made: readonly Rule[]) => Promise<T>): Promise<T> {
  const made: Rule[] = [];
  try {
    for (const [order, rule] of rules.entries()) made.push(await newRule({ order, ...rule }));
    return await run(made);
  } finally {
    for (const { id } of made) assert.equal((await call("DELETE", `/v1/ingest-rules/${id}`)).status, 204);
  }
}

const counted = (id: string, least: number): Promise<Rule> =>
  eventually(
    "the counts",
    async () => {
      const { body } = await call<Rule>("GET", `/v1/ingest-rules/${id}`);
      return body.rows_matched >= least ? body : null;
    },
    30_000,
  );

/** Returns whether any file below a directory has the text. */
function isOnDisk(directory: string, text: string): boolean {
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    const path = join(directory, name);
    try {
      if (statSync(path).isFile() && readFileSync(path).includes(text)) return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  }
  return false;
}

test("rows of every protocol are dropped and masked, their senders get the usual answer, and no file has the secret", async () => {
  const [mark, secret] = [randomUUID().slice(0, 8), randomUUID().slice(0, 8)];
  const rules = [
    { types: ["logs"], action: "drop", match: { message_contains: `${mark}noise` } },
    { types: ["metrics"], action: "drop", match: { name: `${mark}noise` } },
    { types: ["logs", "traces"], action: "mask", masks: ["card", "token", "email"] },
  ];
  const names = Object.keys(PROTOCOL_BODIES);
  await withRules(rules, async ([logs, , mask]) => {
    for (const [at, name] of names.entries()) {
      const ids = [
        `${mark}noise`,
        name.startsWith("remote") ? `${mark}_kept_${at}` : `${mark}_kept_${at} for ${secret}@example.org`,
      ];
      const { path, headers, body } = (PROTOCOL_BODIES[name] ?? assert.fail(name))(
        ids,
        Date.parse("2026-11-20T08:00:00Z"),
      );
      const authorization = `Bearer ${shared.token}`;
      const answer = await fetch(shared.server.origin + path, {
        method: "POST",
        headers: { ...headers, authorization },
        body: new Uint8Array(body),
      });
      const text = await answer.text();
      assert.ok(answer.status < 300, `${name}: ${answer.status} ${text}`);
      assert.doesNotMatch(text, /reject|"errors":true/, name);
    }
    const message = logsRequest("grpc", [`${mark}noise`, `${mark}_kept_grpc for ${secret}@example.org`]);
    assert.equal((await grpc.call({ token: shared.token, message })).code, 0);
    const entries = [
      logEntry(`${mark}noise`),
      logEntry(`${mark}_kept_entry`, { attributes: { deep: [`${secret}@example.org`] } }),
    ];
    await ingested(shared.server, shared.token, "logs", entries);
    const found = await rows<{ m: string }>(
      shared.server,
      shared.token,
      `select message || coalesce(attributes->>'deep', '') as m from logs where message like '${mark}%'
       union all select name as m from metrics where name like '${mark}%'`,
    );
    const expected = names.map((name, at) => `${mark}_kept_${at}${name.startsWith("remote") ? "" : " for [email]"}`);
    expected.push(`${mark}_kept_grpc for [email]`, `${mark}_kept_entry["[email]"]`);
    assert.deepEqual(found.map(({ m }) => m).toSorted(), expected.toSorted());
    const { dataDir } = shared.server;
    assert.ok(isOnDisk(dataDir, `${mark}_kept`), "the search finds a stored row");
    assert.ok(!isOnDisk(dataDir, secret), "a secret was written");
    const dropped = await counted(logs?.id ?? "", names.length);
    assert.deepEqual([dropped.rows_removed, dropped.rows_matched], [names.length, names.length]);
    assert.ok((await counted(mask?.id ?? "", names.length)).rows_masked >= names.length);
  });
});

test("a rule of a project or a key concerns only its rows, and a disabled one none", async () => {
  const { project } = shared.home;
  const made = await call<{ id: string; key: string }>("POST", "/v1/ingest-keys", { name: "noisy" });
  const rules = [
    { types: ["logs"], action: "drop", project: project.slug, match: { message_contains: "scoped-project" } },
    { types: ["logs"], action: "drop", key_id: made.body.id, match: { message_contains: "scoped-key" } },
    { types: ["logs"], action: "drop", enabled: false, match: { message_contains: "scoped-off" } },
  ];
  await withRules(rules, async () => {
    const send = async (secret: string, message: string, headers: Record<string, string> = {}): Promise<void> => {
      const answer = await ingest(shared.server, secret, "logs", [logEntry(message)], { headers });
      assert.deepEqual(answer.body, { accepted: 1 });
    };
    await send(shared.token, "scoped-project org");
    await send(shared.token, "scoped-project named", { "x-mooring-project": project.slug });
    await send(shared.token, "scoped-key token");
    await send(made.body.key, "scoped-key key");
    await send(shared.token, "scoped-off");
    const found = await rows<{ message: string }>(
      shared.server,
      shared.token,
      "select message from logs where message like 'scoped-%' order by 1",
    );
    assert.deepEqual(
      found.map(({ message }) => message),
      ["scoped-key token", "scoped-off", "scoped-project org"],
    );
  });
});

test("a sample keeps whole traces, and a repeat gets the same answer after the rule has changed", async () => {
  await withRules(
    [{ types: ["traces"], action: "sample", keep_one_of: 4, match: { name: "sampled" } }],
    async ([rule]) => {
      const span = (trace: number, id: number): object => ({
        timestamp: "2026-11-20T08:00:00Z",
        trace_id: `trace-${trace}`,
        span_id: `${trace}-${id}`,
        name: "sampled",
        duration_ms: 1,
        status: "ok",
      });
      const entries = Array.from({ length: 200 }, (_, i) => span(i >> 1, i % 2));
      const options = { headers: { "idempotency-key": "sampled-1" } };
      assert.deepEqual((await ingest(shared.server, shared.token, "traces", entries, options)).body, { accepted: 200 });
      const sql = "select trace_id, count(*) as n from traces where name = 'sampled' group by 1";
      const found = await rows<{ n: number }>(shared.server, shared.token, sql);
      assert.ok(found.length > 5 && found.length < 60, String(found.length));
      assert.ok(found.every(({ n }) => Number(n) === 2));
      const { status } = await call("PATCH", `/v1/ingest-rules/${rule?.id}`, { keep_one_of: 2 });
      assert.equal(status, 200);
      const again = await ingest(shared.server, shared.token, "traces", entries, options);
      assert.deepEqual([again.body, again.headers.get("idempotency-replayed")], [{ accepted: 200 }, "true"]);
      assert.equal((await rows(shared.server, shared.token, sql)).length, found.length);
    },
  );
});

test("an equal body is counted and stored once, also when the rule is gone", async () => {
  const mark = randomUUID().slice(0, 8);
  const { path, headers, body } = (PROTOCOL_BODIES["OTLP, protobuf"] ?? assert.fail())(
    [`${mark} dropped`, `${mark} kept`],
    Date.now(),
  );
  const send = async (): Promise<void> => {
    const authorization = `Bearer ${shared.token}`;
    const sent = { method: "POST", headers: { ...headers, authorization }, body: new Uint8Array(body) };
    assert.equal((await fetch(shared.server.origin + path, sent)).status, 200);
  };
  const entries = [logEntry(`${mark} dropped`), logEntry(`${mark} kept`)];
  const options = { headers: { "idempotency-key": mark } };
  await withRules(
    [{ types: ["logs"], action: "drop", match: { message_contains: `${mark} dropped` } }],
    async ([rule]) => {
      for (let i = 0; i < 3; i++) {
        await send();
        assert.deepEqual((await ingest(shared.server, shared.token, "logs", entries, options)).body, { accepted: 2 });
      }
      await counted(rule?.id ?? "", 2);
      // The counts of a last request come with the next ones.
      await ingested(shared.server, shared.token, "logs", [logEntry(`${mark} dropped`)]);
      assert.equal((await counted(rule?.id ?? "", 3)).rows_matched, 3);
    },
  );
  await send();
  const again = await ingest(shared.server, shared.token, "logs", entries, options);
  assert.deepEqual([again.body, again.headers.get("idempotency-replayed")], [{ accepted: 2 }, "true"]);
  const sql = `select message from logs where message like '${mark}%'`;
  const found = await rows<{ message: string }>(shared.server, shared.token, sql);
  assert.deepEqual(
    found.map(({ message }) => message),
    [`${mark} kept`, `${mark} kept`],
  );
});

test("a preview shows recent rows before and after, and stores nothing", async () => {
  await ingested(shared.server, shared.token, "logs", [
    logEntry("preview to ann@example.org"),
    logEntry("preview plain"),
  ]);
  interface Shown {
    readonly rows_matched: number;
    readonly rows_masked: number;
    readonly rows_removed: number;
    readonly examples: readonly { before: { message: string }; after: { message: string } | null }[];
  }
  const preview = (json: Json): Promise<Answer<Shown>> =>
    call<Shown>("POST", "/v1/ingest-rules/preview", { type: "logs", match: { message_contains: "preview " }, ...json });
  const { body } = await preview({ action: "mask", masks: ["email"] });
  assert.deepEqual([body.rows_matched, body.rows_masked, body.rows_removed], [2, 1, 0]);
  assert.deepEqual(
    [body.examples[0]?.before.message, body.examples[0]?.after?.message],
    ["preview to ann@example.org", "preview to [email]"],
  );
  const dropped = (await preview({ action: "drop" })).body;
  assert.deepEqual([dropped.rows_removed, dropped.examples.map(({ after: left }) => left)], [2, [null, null]]);
  assert.equal(
    (await rows(shared.server, shared.token, "select 1 from logs where message like 'preview %'")).length,
    2,
  );
  refused(await preview({ action: "mask" }), 400, "invalid_body", ["/masks"]);
});
