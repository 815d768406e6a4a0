import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { QUERY_ROUTES, SCOPES, type ResultOf } from "@mooring/contract";
import { boundToken } from "../../organization/testing/requests.ts";
import { testOperation } from "../../organization/testing/suite.ts";
import { sharedWorld, type World } from "../../organization/testing/world.ts";
import { appendLogs, WITH_QUERIES } from "../testing/saved.ts";

type Schema = ResultOf<typeof QUERY_ROUTES.getQuerySchema>;

testOperation(QUERY_ROUTES.getQuerySchema, { ask: () => ({ path: "/v1/query/schema" }) }, WITH_QUERIES);

let world: World;
before(async () => {
  world = await sharedWorld(WITH_QUERIES);
  await appendLogs(world, [null, world.acme.open.id, world.acme.closed.id]);
});
after(() => world.close());

async function schema(token: string): Promise<Schema> {
  const answer = await world.call("GET", "/v1/query/schema", { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.json as unknown as Schema;
}

const namesOf = ({ tables }: Schema): string[] => tables.map(({ name }) => name);
const ownerToken = (): string => world.person(world.acme, world.acme.people.owner);

test("the columns are those of SELECT *, with their types", async () => {
  const token = await world.token();
  for (const { name, columns } of (await schema(token)).tables) {
    const answer = await world.call("POST", "/v1/query", { token, body: { sql: `SELECT * FROM ${name} LIMIT 0` } });
    assert.equal(answer.status, 200, answer.text);
    const types = new Map([
      ["TIMESTAMPTZ", "TIMESTAMP WITH TIME ZONE"],
      ["MAP(VARCHAR, VARCHAR)", "MAP(VARCHAR, VARCHAR)"],
    ]);
    const named = columns.map((column) => ({ name: column.name, type: types.get(column.type) ?? column.type }));
    assert.deepEqual(answer.json["columns"], named, name);
  }
});

test("every example runs", async () => {
  const token = ownerToken();
  const { examples } = await schema(token);
  assert.ok(examples.length >= 10);
  for (const { title, sql } of examples) {
    const answer = await world.call("POST", "/v1/query", { token, body: { sql } });
    assert.equal(answer.status, 200, `${title}: ${answer.text}`);
  }
});

test("the listed functions can be called", async () => {
  const { functions, table_functions: tables } = await schema(await world.token());
  for (const name of ["count", "date_trunc", "json_extract_string", "quantile_cont", "regexp_matches", "rate"])
    assert.ok(functions.includes(name), name);
  assert.ok(functions.every((name) => /^[a-z]\w+$/.test(name)));
  assert.deepEqual(tables, ["generate_series", "json_each", "json_tree", "range", "time_buckets", "unnest"]);
});

test("a caller who sees all rows gets their number; a caller who sees some does not", async () => {
  const logs = async (token: string) => (await schema(token)).tables.find(({ name }) => name === "logs");
  assert.equal((await logs(ownerToken()))?.figures?.rows, 3);
  assert.equal((await logs(await world.token()))?.figures, null, "there is a private project");
  assert.equal((await logs(await boundToken(world)))?.figures, null);
  const rival = await world.token({ tenant: world.rival });
  assert.notEqual((await logs(rival))?.figures?.rows, 3);
});

test("tables of records are shown to callers who may read them, with their examples", async () => {
  const whole = await schema(await world.token());
  assert.deepEqual(namesOf(whole), [
    "logs",
    "metrics",
    "traces",
    "audit_log",
    "webhook_events",
    "images",
    "files",
    "objects",
    "access_log",
    "usage_daily",
    "query_log",
  ]);
  const scopes = SCOPES.filter((scope) => scope !== "audit:read");
  const others = ["logs", "metrics", "traces", "webhook_events", "images", "files", "objects"];
  for (const [token, names] of [
    [await world.token({ scopes }), [...others, "usage_daily", "query_log"]],
    [await boundToken(world), [...others, "access_log", "query_log"]],
  ] as const) {
    const part = await schema(token);
    assert.deepEqual(namesOf(part), names);
    assert.ok(part.examples.every(({ sql }) => !sql.includes("audit_log")));
  }
});
