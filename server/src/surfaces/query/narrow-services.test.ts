import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Scope } from "@mooring/contract";
import { sharedWorld, type Answer, type World } from "../organization/testing/world.ts";
import { storeOf, WITH_QUERIES } from "./testing/saved.ts";

/** A credential that is limited to services: other rows do not exist for its statements. */

const AT = { timestamp: "2026-11-21T08:00:00Z" };
const SPAN = { ...AT, trace_id: "t", span_id: "s", name: "GET", duration_ms: 1, status: "ok" };
const ROWS = {
  logs: ["shop", "secret-api", undefined].map((service) => ({
    ...AT,
    level: "info",
    message: `of ${service}`,
    service,
  })),
  traces: ["shop", "secret-api", undefined].map((service) => ({ ...SPAN, service })),
  metrics: [
    { ...AT, name: "m", value: 1, tags: { "service.name": "shop", service: "secret-api" } },
    { ...AT, name: "m", value: 2, tags: { service: "shop" } },
    { ...AT, name: "secret", value: 4, tags: { service: "secret-api" } },
    { ...AT, name: "m", value: 8, tags: {} },
  ],
} as const;

describe("a credential that is limited to a service", () => {
  let world: World;
  let narrow: string;
  let whole: string;

  before(async () => {
    world = await sharedWorld(WITH_QUERIES);
    for (const type of ["logs", "traces", "metrics"] as const) {
      const rows = Buffer.from(ROWS[type].map((row) => `${JSON.stringify(row)}\n`).join(""));
      await storeOf(world.metadata).append({ orgId: world.acme.id, type, rows, count: ROWS[type].length });
    }
    whole = await world.token();
    narrow = await limited({ services: ["shop"] });
  });
  after(() => world.close());

  const limited = (resources: object, scopes: readonly Scope[] = ["telemetry:read"]): Promise<string> =>
    world.token({ scopes, resources });

  const ask = (sql: string, token = narrow, more: object = {}): Promise<Answer> =>
    world.call("POST", "/v1/query", { token, body: { sql, ...more } });

  async function rows(sql: string, token = narrow): Promise<Record<string, unknown>[]> {
    const answer = await ask(sql, token);
    assert.equal(answer.status, 200, answer.text);
    return answer.json["rows"] as Record<string, unknown>[];
  }

  test("metrics have the service of their tags, for everybody", async () => {
    const found = await rows("SELECT value, service FROM metrics ORDER BY value", whole);
    assert.deepEqual(
      found.map(({ service }) => service),
      ["shop", "shop", "secret-api", null],
    );
  });

  test("reads the rows of its service only, in every table and kind of statement", async () => {
    assert.deepEqual(await rows("SELECT message FROM logs"), [{ message: "of shop" }]);
    assert.deepEqual(await rows("SELECT service, count(*) AS n FROM traces GROUP BY ALL"), [{ service: "shop", n: 1 }]);
    assert.deepEqual(await rows("SELECT value FROM metrics ORDER BY value"), [{ value: 1 }, { value: 2 }]);
    assert.deepEqual(await rows("SELECT count(*) AS n FROM logs WHERE service IS NULL OR service <> 'shop'"), [
      { n: 0 },
    ]);
    assert.deepEqual(await rows("SELECT count(*) AS n FROM metrics WHERE name = 'secret'"), [{ n: 0 }]);
    assert.deepEqual(await rows("WITH logs2 AS (FROM logs) SELECT max(message) AS m FROM logs2"), [{ m: "of shop" }]);
  });

  test("an error, a plan and the schema reveal nothing of other services", async () => {
    const failing = "SELECT CAST(message AS INTEGER) FROM logs WHERE message LIKE '%secret%'";
    assert.deepEqual(await rows(failing), [], "it is not evaluated on hidden rows");
    for (const explain of [true, "analyze"]) {
      const { status, text } = await ask("SELECT message FROM logs", narrow, { explain });
      assert.equal(status, 200, text);
      assert.doesNotMatch(text, /secret-api/);
    }
    const schema = await world.call("GET", "/v1/query/schema", { token: narrow });
    assert.equal(schema.status, 200, schema.text);
    const tables = schema.json["tables"] as { name: string; figures: unknown; promoted_attributes: unknown[] }[];
    assert.deepEqual(
      tables.map(({ name, figures, promoted_attributes: promoted }) => [name, figures, promoted]),
      ["logs", "metrics", "traces", "query_log"].map((name) => [name, null, []]),
      "no figures, and no tables of records",
    );
    assert.deepEqual(await rows("SELECT count(*) AS n FROM query_log"), [{ n: 0 }], "only own statements");
  });

  test("reads no table of records without such resources, and its own rows with them", async () => {
    for (const table of ["audit_log", "files", "images", "objects", "webhook_events"]) {
      const answer = await ask(`SELECT count(*) FROM ${table}`);
      assert.equal(answer.status, 403, `${table}: ${answer.text}`);
    }
    const { id } = world.acme.openApp;
    const scopes: readonly Scope[] = ["telemetry:read", "registry:pull", "s3:read", "webhooks:read"];
    const token = await limited(
      { services: ["shop"], repositories: [id], buckets: [[id, "it's/"]], webhooks: ["wh_1"] },
      scopes,
    );
    for (const table of ["images", "objects", "webhook_events"])
      assert.deepEqual(await rows(`SELECT count(*) AS n FROM ${table}`, token), [{ n: 0 }], table);
  });

  test("an empty limit shows nothing, and saved queries are refused", async () => {
    const other = await limited({ services: ["none"] });
    assert.deepEqual(await rows("SELECT count(*) AS n FROM logs", other), [{ n: 0 }]);
    const answer = await world.call("GET", "/v1/query/saved", { token: narrow });
    assert.deepEqual([answer.status, answer.json["code"]], [403, "insufficient_scope"]);
  });
});
