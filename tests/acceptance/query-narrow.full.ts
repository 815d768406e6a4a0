/** SQL of a credential that is limited to resources: rows of others do not exist for it, in any table or format. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { newRepository, repositoryOf } from "../fixtures/registry.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { useSharedServer, type Client } from "../fixtures/server.ts";
import { EXAMPLES, ingested, rows, TYPES } from "../fixtures/telemetry.ts";
import { acceptedEvent, newWebhook } from "../fixtures/webhooks.ts";

const OWN = "it's mine";
const OTHER = "neighbour";

let narrow: string;
let repository: string;
let hook: string;
const shared = useSharedServer(async ({ server, home, token }) => {
  for (const type of TYPES) {
    const entries = [OWN, OTHER, undefined].map((service) =>
      type === "metrics"
        ? { ...EXAMPLES.metrics, tags: service === undefined ? {} : { "service.name": service } }
        : { ...EXAMPLES[type], service },
    );
    await ingested(server, token, type, entries);
  }
  const names = [await newRepository(server, token), await newRepository(server, token)];
  for (const name of names) await (await repositoryOf(server, home.credential, name)).image([name], { tag: "present" });
  [repository = ""] = names;
  const endpoint = await s3EndpointOf(server, home);
  const s3 = sdkClient(endpoint);
  for (const Key of ["in's/a", "inside", "out/a"])
    await s3.send(new PutObjectCommand({ Bucket: endpoint.bucket, Key, Body: "x" }));
  const project = home.project.slug;
  const hooks = [await newWebhook(server, token, { project }), await newWebhook(server, token, { project })];
  for (const { url } of hooks) await acceptedEvent(url, '{"a": 1}');
  hook = hooks[0]?.id ?? "";
  const resources = {
    services: [OWN],
    repositories: [repository.split("/").at(-1)],
    webhooks: [hook],
    buckets: [{ name: endpoint.bucket, prefix: "in's/" }],
  };
  const scopes = ["telemetry:read", "registry:pull", "webhooks:read", "s3:read"];
  const made = await server.call<Client>("POST", "/v1/credentials", { token, json: { name: "n", scopes, resources } });
  assert.equal(made.status, 201, made.text);
  narrow = await server.token(made.body);
});

test("every table has the rows of its resources only", async () => {
  const { server, token } = shared;
  for (const [sql, own] of [
    ["SELECT service AS name FROM logs", OWN],
    ["SELECT service AS name FROM metrics", OWN],
    ["SELECT service AS name FROM traces", OWN],
    ["SELECT repository AS name FROM images", repository],
    ["SELECT key AS name FROM objects", "in's/a"],
    ["SELECT webhook_id AS name FROM webhook_events", hook],
  ] as const) {
    assert.deepEqual(await rows(server, narrow, sql), [{ name: own }], sql);
    assert.ok((await rows(server, token, sql)).length > 1, `${sql}: others have rows`);
  }
});

test("no form of a statement and no format has more", async () => {
  const { server } = shared;
  const n = async (sql: string): Promise<unknown> => Object.values((await rows(server, narrow, sql))[0] ?? {})[0];
  assert.equal(await n("SELECT count(*) FROM logs"), 1);
  assert.equal(await n("SELECT count(*) FROM logs WHERE service IS NULL OR service <> $$it's mine$$"), 0);
  assert.equal(await n("SELECT count(*) FROM (SELECT service FROM traces UNION ALL SELECT service FROM logs)"), 2);
  assert.equal(await n("WITH logs AS (FROM main.logs) SELECT count(*) FROM logs CROSS JOIN metrics"), 1);
  assert.equal(await n("SELECT max(max) FROM (SUMMARIZE logs) WHERE column_name = 'service'"), OWN);
  assert.equal(await n("SELECT count(*) FROM logs TABLESAMPLE 100%"), 1);
  assert.equal(await n("SELECT count(*) FROM objects WHERE key LIKE 'out%'"), 0);
  for (const accept of ["text/csv", "application/x-ndjson", "application/vnd.apache.parquet"]) {
    const options = { token: narrow, headers: { accept }, json: { sql: "SELECT * FROM logs" } };
    const { status, text } = await server.call("POST", "/v1/query", options);
    assert.equal(status, 200, text);
    assert.ok(!text.includes(OTHER), accept);
  }
});

test("nothing else shows others: files, the catalog, alerts, saved queries, usage, the schema", async () => {
  const { server, token, home } = shared;
  for (const sql of [
    "SELECT * FROM read_parquet('*')",
    "SELECT * FROM read_text('/etc/hostname')",
    "SELECT * FROM glob('*')",
    "SELECT * FROM duckdb_views()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM sqlite_master",
    "PRAGMA storage_info('logs')",
    "COPY logs TO '/tmp/x'",
  ]) {
    const { status, text } = await server.call("POST", "/v1/query", { token: narrow, json: { sql } });
    assert.equal(status, 400, `${sql}: ${text}`);
  }
  for (const table of ["audit_log", "files"]) {
    const json = { sql: `SELECT count(*) FROM ${table}` };
    assert.equal((await server.call("POST", "/v1/query", { token: narrow, json })).status, 403, table);
  }
  const saved = await server.call<{ id: string }>("POST", "/v1/query/saved", {
    token,
    json: { name: "all", sql: "SELECT * FROM logs" },
  });
  for (const [method, path] of [
    ["GET", "/v1/query/saved"],
    ["GET", `/v1/query/saved/${saved.body.id}`],
    ["POST", `/v1/query/saved/${saved.body.id}/run`],
    ["GET", "/v1/alerts"],
    ["GET", "/v1/usage"],
    ["GET", "/v1/telemetry/usage"],
    ["GET", "/v1/telemetry/erasures"],
    ["GET", `/v1/access?permission=telemetry:read&project=${home.project.slug}`],
    ["GET", "/v1/apps"],
    ["GET", "/v1/projects"],
    ["GET", "/v1/files"],
    ["GET", "/v1/audit"],
  ] as const) {
    const { status, text } = await server.call(method, path, {
      token: narrow,
      json: method === "POST" ? {} : undefined,
    });
    assert.equal(status, 403, `${method} ${path}: ${status} ${text}`);
  }
  const schema = await server.call<{ tables: { figures: unknown; promoted_attributes: unknown[] }[] }>(
    "GET",
    "/v1/query/schema",
    { token: narrow },
  );
  for (const table of schema.body.tables) assert.deepEqual([table.figures, table.promoted_attributes], [null, []]);
});
