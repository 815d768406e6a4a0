/** The query log: each statement has a row, its author reads it, and others need the right to manage queries. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Person } from "../fixtures/person.ts";
import { eventually } from "../fixtures/process.ts";
import { useSharedServer, type Client } from "../fixtures/server.ts";
import { ingested, logEntry, query, rows } from "../fixtures/telemetry.ts";

const shared = useSharedServer();

interface Row {
  readonly id: string;
  readonly state: string;
  readonly code: string | null;
  readonly actor_kind: string;
  readonly actor_id: string;
  readonly statement: string;
  readonly statement_hash: string;
  readonly tables: string;
  readonly rows_out: number;
  readonly request_id: string;
  readonly files_read: number;
  readonly bytes_read: number;
  readonly bytes_out: number;
}

async function reader(name: string): Promise<{ id: string; token: string }> {
  const json = { name, scopes: ["telemetry:read"] };
  const made = await shared.server.call<Client & { id: string }>("POST", "/v1/credentials", {
    token: shared.token,
    json,
  });
  assert.equal(made.status, 201, made.text);
  return { id: made.body.id, token: await shared.server.token(made.body) };
}

function logged(token: string, where = "true"): Promise<readonly Row[]> {
  return rows<Row>(shared.server, token, `select * from query_log where ${where} order by seq`);
}

test("each statement has one row: what it read and returned, also when it fails or is refused", async () => {
  const { server, token } = shared;
  await ingested(server, token, "logs", [logEntry("one"), logEntry("two")]);
  const own = await reader("author");
  const answer = await query(server, own.token, "SELECT message FROM logs WHERE message <> 'secret'");
  await query(server, own.token, "select message from LOGS where message <> 'other' -- again");
  await query(server, own.token, "SELECT no_such_column FROM logs");
  await query(server, own.token, "DROP TABLE logs");
  const [first, second, third, fourth] = await logged(own.token);
  assert.partialDeepStrictEqual(first, {
    state: "done",
    code: null,
    actor_kind: "credential",
    actor_id: own.id,
    statement: "SELECT message FROM logs WHERE message <> 'secret'",
    rows_out: 2,
    request_id: answer.headers.get("request-id"),
  });
  assert.match(String(first?.tables), /logs/);
  assert.ok(first !== undefined && first.files_read >= 1 && first.bytes_read > 0 && first.bytes_out > 0);
  assert.equal(second?.statement_hash, first.statement_hash, "only literals, case and comments differ");
  assert.partialDeepStrictEqual(
    [third, fourth],
    [
      { state: "failed", code: "invalid_sql" },
      { state: "failed", code: "sql_not_allowed" },
    ],
  );
});

test("an author sees only own rows, and an actor who manages queries sees all", async () => {
  const { server, token } = shared;
  const [one, two] = [await reader("one"), await reader("two")];
  await query(server, one.token, "SELECT 'of one' AS secret");
  await query(server, two.token, "SELECT 'of two' AS secret");
  const of = async (by: string): Promise<readonly string[]> =>
    (await logged(by, "statement LIKE 'SELECT ''of %'")).map(({ actor_id: id }) => id);
  assert.deepEqual(await of(one.token), [one.id]);
  assert.deepEqual(await of(two.token), [two.id]);
  assert.deepEqual(await of(token), [one.id, two.id]);
  for (const sql of [
    "WITH q AS (SELECT * FROM query_log) SELECT count(*) AS n FROM q WHERE actor_id <> 'X'",
    "SELECT count(*) AS n FROM (SELECT * FROM query_log ORDER BY timestamp DESC LIMIT 100) WHERE actor_id <> 'X'",
  ])
    assert.deepEqual(await rows(server, one.token, sql.replace("X", one.id)), [{ n: 0 }], sql);
  const plan = await query(server, one.token, "SELECT max(bytes_read) FROM query_log", {
    json: { explain: "analyze" },
  });
  assert.ok(!plan.text.includes(two.id));
});

test("a switched off log gets no new rows; a long statement is cut, and odd characters stay readable", async () => {
  const { server, token } = shared;
  const own = await reader("long");
  const call = (json: object) =>
    server.call<Record<string, unknown>>("PATCH", "/v1/query-log/settings", { token, json });
  await query(server, own.token, `SELECT '${"\u0001".repeat(20_000)}' AS odd`);
  await query(server, own.token, `SELECT '${"ü".repeat(20_000)}' AS odd`);
  await query(server, own.token, "SELECT '\u{1F600} \\ud800 \u0000' AS odd");
  const before = await logged(own.token);
  assert.deepEqual(before.length, 3);
  assert.deepEqual(
    before.slice(0, 2).map(({ statement }) => statement.length),
    [8192, 16_384],
  );
  assert.equal((await call({ mode: "off" })).body["mode"], "off");
  await eventually("the log to be off", async () => {
    const rowsBefore = (await logged(own.token)).length;
    await query(server, own.token, "SELECT 1");
    return (await logged(own.token)).length === rowsBefore ? true : null;
  });
  assert.equal((await call({ mode: "all", retention_days: 5 })).body["effective_retention_days"], 5);
});

test("the deletion of a person erases their statements, and keeps the rows", async () => {
  const { server, token, home } = shared;
  const owner = await Person.setUp(server, home.owner);
  const person = await Person.invited(owner, "grace@example.org", "admin");
  const sent = await person.api("POST", "/v1/query", { sql: "SELECT 'of grace' AS secret" });
  assert.equal(sent.status, 200, sent.text);
  const mine = `actor_id = '${person.id}'`;
  const [before] = await logged(token, mine);
  assert.equal(before?.statement, "SELECT 'of grace' AS secret");
  const deleted = await person.call("DELETE", "/api/account");
  assert.ok(deleted.status < 300, deleted.text);
  await eventually("the statements of the person to be erased", async () =>
    (await logged(token, mine))[0]?.statement === null ? true : null,
  );
  assert.deepEqual(await logged(token, mine), [{ ...before, statement: null, detail: null }]);
});
