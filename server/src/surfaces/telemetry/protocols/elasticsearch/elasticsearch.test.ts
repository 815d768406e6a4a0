import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { INGEST_ENTRY_BYTES_MAX } from "#kernel/limits.ts";
import { useProtocols, type Sent } from "../../testing/protocols.ts";

const place = useProtocols();

function bulk(
  lines: readonly unknown[],
  path = "/_bulk",
  headers: Record<string, string> = {},
  method = "POST",
): Promise<Sent> {
  const body = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
  return place.send(`/elasticsearch${path}`, body, { "content-type": "application/x-ndjson", ...headers }, method);
}

interface Item {
  readonly _index: string;
  readonly _id: string;
  readonly status: number;
  readonly result?: string;
  readonly error?: { readonly type: string; readonly reason: string };
}

function itemsOf({ text }: Sent): { readonly errors: boolean; readonly items: readonly Record<string, Item>[] } {
  return JSON.parse(text) as { errors: boolean; items: Record<string, Item>[] };
}

async function rowOf(message: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await place.rows(
    `select timestamp, level, service, trace_id, span_id, attributes from logs where message = '${message}'`,
  );
  return row;
}

const product = ({ headers }: Sent): string | null => headers.get("x-elastic-product");

test("ECS, dotted or nested, becomes level, service and trace; the index is an attribute", async () => {
  const common = { "@timestamp": "2026-11-20T08:00:00.123Z" };
  const nested = {
    ...common,
    message: "nested",
    log: { level: "warn" },
    service: { name: "shop" },
    trace: { id: "t1" },
    span: { id: "s1" },
    order: 9_007_199_254_740_993n,
  };
  const lines = [
    { create: { _index: "logs-shop" } },
    JSON.stringify({ ...nested, order: 0 }).replace('"order":0', '"order":9007199254740993'),
    "",
    { index: { _id: "7", pipeline: null, _index: "other" }, attempts: 0 },
    { ...common, message: "dotted", "log.level": "error", "service.name": "api", "trace.id": "t2" },
  ];
  const answer = await bulk(lines, "/_bulk?timeout=60s", {}, "PUT");
  assert.deepEqual([answer.status, product(answer)], [200, "Elasticsearch"]);
  const { errors, items } = itemsOf(answer);
  assert.equal(errors, false);
  assert.deepEqual([items[0]?.["create"]?.status, items[0]?.["create"]?._index], [201, "logs-shop"]);
  assert.deepEqual([items[1]?.["index"]?._id, items[1]?.["index"]?.result], ["7", "created"]);
  const { attributes, ...fields } = (await rowOf("nested")) ?? {};
  assert.deepEqual(fields, {
    timestamp: "2026-11-20T08:00:00.123Z",
    level: "warn",
    service: "shop",
    trace_id: "t1",
    span_id: "s1",
  });
  assert.equal((attributes as Record<string, unknown>)["_index"], "logs-shop");
  const [exact] = await place.rows("select attributes->>'order' as n from logs where message = 'nested'");
  assert.equal(exact?.["n"], "9007199254740993");
  assert.deepEqual([(await rowOf("dotted"))?.["level"], (await rowOf("dotted"))?.["service"]], ["error", "api"]);
});

test("times are dates, milliseconds, or the arrival; a data stream names the service; gzip works", async () => {
  const lines = [
    { index: {} },
    { "@timestamp": 1_790_000_000_123, message: "number" },
    { index: {} },
    { "@timestamp": "2026-11-20T08:00:00.5", message: "no zone", level: 40 },
    { index: { _index: "logs-nginx.access-default" } },
    { message: "no time" },
  ].map((line) => JSON.stringify(line));
  const answer = await place.send("/elasticsearch/plain/_bulk", gzipSync(lines.join("\n")), {
    "content-encoding": "gzip",
  });
  assert.equal(itemsOf(answer).errors, false, answer.text);
  assert.equal((await rowOf("number"))?.["timestamp"], "2026-09-21T14:13:20.123Z");
  const { timestamp, level, attributes } = (await rowOf("no zone")) ?? {};
  assert.deepEqual([timestamp, level, attributes], ["2026-11-20T08:00:00.500Z", "warn", { _index: "plain" }]);
  const untimed = await rowOf("no time");
  assert.equal(untimed?.["service"], "nginx.access");
  assert.ok(Date.now() - Date.parse(String(untimed?.["timestamp"])) < 60_000);
});

test("bad items get 400 and the others are stored; a line without an action refuses the request", async () => {
  const large = { message: "x".repeat(INGEST_ENTRY_BYTES_MAX) };
  const lines = [
    { index: {} },
    "not JSON",
    { index: {} },
    { message: "good" },
    { index: {} },
    { "@timestamp": "soon", message: "bad time" },
  ];
  const answer = await bulk([
    ...lines,
    { delete: { _id: "1" } },
    { update: { _id: "1" } },
    { doc: {} },
    { index: {} },
    large,
    { index: {} },
  ]);
  const { errors, items } = itemsOf(answer);
  assert.deepEqual([answer.status, errors], [200, true]);
  const results = items.map((item) => Object.entries(item)[0] as [string, Item]);
  assert.deepEqual(
    results.map(([action, { status }]) => `${action} ${status}`),
    ["index 400", "index 201", "index 400", "delete 400", "update 400", "index 400", "index 400"],
  );
  assert.match(results[2]?.[1].error?.reason ?? "", /@timestamp/);
  assert.ok((await rowOf("good")) !== undefined);
  const refused = await bulk([{ index: {} }, { message: "lost" }, { other: {} }, {}]);
  assert.equal(refused.status, 400);
  assert.match(refused.text, /Malformed action\/metadata line \[3\]/);
  assert.equal(await rowOf("lost"), undefined);
});

test("an equal body is stored once if its documents have times or ids, and the answer is the same", async () => {
  const timed = [
    { index: {} },
    { "@timestamp": "2026-11-20T08:00:00Z", message: "timed" },
    { index: { _id: "1" } },
    { message: "with id" },
  ];
  const untimed = [{ index: {} }, { message: "untimed" }];
  const [first, second] = [await bulk(timed), await bulk(timed)];
  assert.equal(first.text, second.text);
  await bulk(timed, "/elsewhere/_bulk");
  for (let attempt = 0; attempt < 2; attempt++) await bulk(untimed);
  const counts = await place.rows(
    "select message, count(*) as n from logs where message in ('timed', 'with id', 'untimed') group by 1 order by 1",
  );
  assert.deepEqual(
    counts.map(({ message, n }) => `${message as string} ${n as number}`),
    ["timed 2", "untimed 2", "with id 2"],
  );
});

test("one document", async () => {
  const answer = await place.send("/elasticsearch/one/_doc", '{"message":"alone"}');
  assert.deepEqual([answer.status, product(answer)], [201, "Elasticsearch"]);
  assert.equal((JSON.parse(answer.text) as Item)._index, "one");
  assert.equal((await place.send("/elasticsearch/one/_doc", "[]")).status, 400);
});

const HANDSHAKES: readonly (readonly [method: string, path: string])[] = [
  ["GET", ""],
  ["GET", "/"],
  ["HEAD", "/"],
  ["GET", "/_license?human=false"],
  ["GET", "/_cluster/health?wait_for_status=yellow"],
  ["GET", "/_cat/health"],
  ["GET", "/_nodes/http"],
  ["HEAD", "/_index_template/template_logs"],
  ["PUT", "/_index_template/template_logs"],
  ["GET", "/_ilm/policy/filebeat"],
  ["PUT", "/_ilm/policy/filebeat"],
  ["PUT", "/_ingest/pipeline/a"],
  ["GET", "/_data_stream/filebeat-8.16.0"],
  ["HEAD", "/logs-a"],
];

test("handshakes have the product's field, and a Beat gets its own version", async () => {
  for (const [method, path] of HANDSHAKES) {
    const answer = await place.send(`/elasticsearch${path}`, method === "PUT" ? "{}" : undefined, {}, method);
    assert.deepEqual([answer.status, product(answer)], [200, "Elasticsearch"], `${method} ${path}: ${answer.text}`);
  }
  const versionFor = async (agent: string): Promise<unknown> => {
    const answer = await place.send("/elasticsearch/", undefined, { "user-agent": agent }, "GET");
    return (JSON.parse(answer.text) as { version: { number: string } }).version.number;
  };
  assert.equal(await versionFor("Elastic-filebeat/8.16.2 (linux; amd64; x; x)"), "8.16.2");
  assert.equal(await versionFor("curl/8"), "8.19.0");
});

test("refusals have Elasticsearch's form; the answer to a search names SQL", async () => {
  const error = ({ text }: Sent): { type: string; reason: string } =>
    (JSON.parse(text) as { error: { type: string; reason: string } }).error;
  const search = await place.send("/elasticsearch/logs-a/_search", "{}");
  assert.deepEqual([search.status, product(search)], [400, "Elasticsearch"]);
  assert.match(error(search).reason, /SQL/);
  assert.equal((await place.send("/elasticsearch/_unknown", undefined, {}, "GET")).status, 404);
  for (const [method, path] of [
    ["POST", "/_bulk"],
    ["POST", "/a/_bulk"],
    ["POST", "/a/_doc"],
    ...HANDSHAKES,
  ] as const) {
    const body = method === "POST" || method === "PUT" ? "{}" : undefined;
    const anonymous = await place.send(`/elasticsearch${path}`, body, { authorization: "" }, method);
    assert.deepEqual([anonymous.status, product(anonymous)], [401, "Elasticsearch"]);
    if (method !== "HEAD") assert.equal(error(anonymous).type, "security_exception");
    assert.equal(
      (await place.send(`/elasticsearch${path}`, body, { authorization: "Bearer reader" }, method)).status,
      403,
    );
  }
});

test("a sender without a name gets no answer when it should send again later: rsyslog would drop the batch", async () => {
  const statusFor = (token: string, headers: Record<string, string>): Promise<number | string> =>
    new Promise((resolve) => {
      const fields = { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers };
      const call = request(`${place.url}/elasticsearch/_bulk`, { method: "POST", headers: fields });
      call.on("response", (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      call.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      call.end('{"index":{}}\n{"message":"later"}\n');
    });
  assert.equal(await statusFor("away", {}), "ECONNRESET");
  assert.equal(await statusFor("away", { "user-agent": "Filebeat" }), 503);
  assert.equal(await statusFor("unknown", {}), 401);
  assert.equal(await statusFor("writer", {}), 200);
});
