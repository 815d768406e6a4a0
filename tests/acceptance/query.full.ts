/** POST /v1/query: read-your-writes, formats, parameters, limits, cancellation, errors and streaming. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { refused } from "../fixtures/http.ts";
import { useServer } from "../fixtures/server.ts";
import { EXAMPLES, ingested, logEntry, query, rows } from "../fixtures/telemetry.ts";

const ROWS_MAX = 300_000;
const shared = useServer({
  settings: { query_rows_max: ROWS_MAX, query_timeout_ms: 20_000, query_timeout_ms_max: 30_000 },
});

/** Runs far longer than any limit here, and returns nothing before its end. */
const ENDLESS = "select count(*) as n from range(10000000) a, range(10000000) b where a.range % 7 = b.range % 11";

function ask(
  sql: string,
  extra: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): ReturnType<typeof query> {
  return query(shared.server, shared.token, sql, extra, { headers });
}

test("a query that starts after the 202 sees the batch, a hundred times", async () => {
  const id = randomUUID();
  for (let i = 1; i <= 100; i++) {
    await ingested(shared.server, shared.token, "logs", [logEntry(id)]);
    const [row] = await rows<{ n: number }>(
      shared.server,
      shared.token,
      `select count(*) as n from logs where message = '${id}'`,
    );
    assert.equal(row?.n, i);
  }
});

test("concurrent writers each see their own batch at once", async () => {
  const writer = async (): Promise<void> => {
    const id = randomUUID();
    for (let i = 1; i <= 5; i++) {
      await ingested(shared.server, shared.token, "metrics", [{ ...EXAMPLES.metrics, name: id }]);
      assert.equal((await rows(shared.server, shared.token, `select 1 from metrics where name = '${id}'`)).length, i);
    }
  };
  await Promise.all([writer(), writer(), writer(), writer()]);
});

test("JSON has columns, rows, their number and whether the result was cut", async () => {
  const { body, headers } = await ask("select 1 as a, 'x' as b, null as c, true as d, [1, 2] as e");
  assert.match(headers.get("content-type") ?? "", /^application\/json/);
  assert.deepEqual(
    body.columns.map((column) => column.name),
    ["a", "b", "c", "d", "e"],
  );
  for (const column of body.columns) assert.equal(typeof column.type, "string");
  assert.deepEqual(body.rows, [{ a: 1, b: "x", c: null, d: true, e: [1, 2] }]);
  assert.equal(body.row_count, 1);
  assert.equal(body.truncated, false);
});

const ACCEPTS: readonly [string, string][] = [
  ["", "application/json"],
  ["*/*", "application/json"],
  ["application/json", "application/json"],
  ["application/x-ndjson", "application/x-ndjson"],
  ["text/csv", "text/csv"],
  ["text/*", "text/csv"],
  ["text/csv;q=0.5, application/x-ndjson", "application/x-ndjson"],
  ["text/csv, application/x-ndjson;q=0.9", "text/csv"],
  ["application/json;q=0, text/csv;q=0.1", "text/csv"],
  ["image/png, */*;q=0.1", "application/json"],
  ["application/json;q=0.2, */*;q=0.1", "application/json"],
  ["TEXT/CSV", "text/csv"],
  ["application/vnd.apache.arrow.stream", "application/vnd.apache.arrow.stream"],
  ["application/vnd.apache.parquet, application/json;q=0.5", "application/vnd.apache.parquet"],
];

for (const [accept, type] of ACCEPTS) {
  test(`Accept: ${accept === "" ? "(none)" : accept} gives ${type}`, async () => {
    const answer = await ask("select 1 as a", {}, { accept });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get("content-type")?.split(";")[0], type);
    const expected: Record<string, RegExp> = {
      "application/json": /^\{"columns":/,
      "application/x-ndjson": /^\{"a":1\}\n$/,
      "text/csv": /^a\r?\n1\r?\n$/,
      "application/vnd.apache.arrow.stream": /^\ufffd{4}/,
      "application/vnd.apache.parquet": /^PAR1[\s\S]+PAR1$/,
    };
    assert.match(answer.text, expected[type] ?? /^$/);
  });
}

test("a format that nobody can produce is 406", async () => {
  for (const accept of ["image/png", "application/json;q=0", "text/html, application/xml;q=0.9"]) {
    refused(await ask("select 1", {}, { accept }), 406, "not_acceptable");
  }
});

test("CSV quotes as in RFC 4180, NDJSON has one object a line", async () => {
  const sql = `select * from (values (1, 'a,b', 'say "hi"'), (2, null, e'line\\nbreak')) t(n, b, c) order by n`;
  const csv = (await ask(sql, {}, { accept: "text/csv" })).text.replaceAll("\r\n", "\n");
  assert.equal(csv, 'n,b,c\n1,"a,b","say ""hi"""\n2,,"line\nbreak"\n');
  const lines = (await ask(sql, {}, { accept: "application/x-ndjson" })).text.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    [
      { n: 1, b: "a,b", c: 'say "hi"' },
      { n: 2, b: null, c: "line\nbreak" },
    ],
  );
});

test("an empty result is a result in every format", async () => {
  const sql = "select message from logs where false";
  assert.deepEqual((await ask(sql)).body.rows, []);
  assert.equal((await ask(sql, {}, { accept: "application/x-ndjson" })).text, "");
  assert.match((await ask(sql, {}, { accept: "text/csv" })).text, /^message\r?\n$/);
});

test("the schema names everything that a statement may use, and its examples run", async () => {
  const answer = await shared.server.call<{ tables: { name: string }[]; examples: { sql: string }[] }>(
    "GET",
    "/v1/query/schema",
    { token: shared.token },
  );
  assert.deepEqual(
    answer.body.tables.map(({ name }) => name),
    [
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
    ],
  );
  for (const { sql } of answer.body.examples) assert.equal((await ask(sql)).status, 200, sql);
});

test("the audit log is a table with all acknowledged changes", async () => {
  const slug = `audited-${randomUUID().slice(0, 8)}`;
  const made = await shared.server.call<{ id: string }>("POST", "/v1/projects", {
    token: shared.token,
    json: { slug },
  });
  assert.equal(made.status, 201, made.text);
  const sql = "select action, result from audit_log where target_id = $id";
  const { body } = await ask(sql, { parameters: { id: made.body.id } });
  assert.deepEqual(body.rows, [{ action: "project.create", result: "success" }]);
});

test("a plan is returned instead of rows, without paths", async () => {
  for (const explain of [true, "analyze"]) {
    const answer = await ask("select level, count(*) from logs group by level", { explain });
    assert.equal(answer.status, 200, answer.text);
    assert.ok("plan" in answer.body);
    assert.ok(!answer.text.includes(shared.server.dataDir) && !/\.(?:parquet|ndjson)/.test(answer.text), answer.text);
  }
  refused(await ask("select 1", { explain: true }, { accept: "text/csv" }), 406, "not_acceptable");
});

test("parameters are bound by position and by name, with their types", async () => {
  const values = ["it's; drop table logs", 1.5, true, null];
  const positional = await ask("select ? as a, ? as b, ? as c, ? as d", { parameters: values });
  assert.deepEqual(positional.body.rows, [{ a: values[0], b: 1.5, c: true, d: null }]);
  const numbered = await ask("select $2 as a, $1 as b", { parameters: ["x", "y"] });
  assert.deepEqual(numbered.body.rows, [{ a: "y", b: "x" }]);
  const named = await ask("select $first as a, $second as b, $first as c", { parameters: { first: "x", second: 2 } });
  assert.deepEqual(named.body.rows, [{ a: "x", b: 2, c: "x" }]);
});

test("too many or too few parameters are refused", async () => {
  for (const parameters of [[], [1], [1, 2, 3], { a: 1 }]) {
    const answer = await ask("select ? as a, ? as b", { parameters });
    assert.equal(answer.status, 400, `${JSON.stringify(parameters)}: ${answer.text}`);
  }
});

test("limit cuts a result and reports it; exceeding the server's own limit is an error", async () => {
  const cut = await ask("select range as n from range(100)", { limit: 10 });
  assert.deepEqual([cut.body.row_count, cut.body.rows.length, cut.body.truncated], [10, 10, true]);
  const exact = await ask("select range as n from range(10)", { limit: 10 });
  assert.deepEqual([exact.body.row_count, exact.body.truncated], [10, false]);
  const most = await ask(`select range as n from range(${ROWS_MAX})`, {}, { accept: "text/csv" });
  assert.equal(most.text.trimEnd().split("\n").length, ROWS_MAX + 1);
  const more = await ask(`select range as n from range(${ROWS_MAX + 1})`);
  assert.match(more.text, /query_too_large/, "reported even after the answer has begun");
  refused(await ask("select 1", { limit: ROWS_MAX + 1 }), 400, "invalid_body", ["/limit"]);
  refused(await ask("select 1", { timeout_ms: 30_001 }), 400, "invalid_body", ["/timeout_ms"]);
});

test("a query over its time limit is a clear 4xx, soon after the limit", async () => {
  const startedMs = performance.now();
  refused(await ask(ENDLESS, { timeout_ms: 300 }), 400, "query_timeout");
  const elapsedMs = performance.now() - startedMs;
  assert.ok(elapsedMs >= 300 && elapsedMs < 40_000, `${elapsedMs} ms`);
  assert.deepEqual(await rows(shared.server, shared.token, "select 1 as a"), [{ a: 1 }]);
});

test("a caller that disconnects cancels its query: others' queries run at once", async () => {
  const abandoned = Array.from({ length: 6 }, async () => {
    const going = AbortSignal.timeout(400);
    await assert.rejects(query(shared.server, shared.token, ENDLESS, { timeout_ms: 30_000 }, { signal: going }));
  });
  await Promise.all(abandoned);
  const startedMs = performance.now();
  const quick = await Promise.all(Array.from({ length: 4 }, () => rows(shared.server, shared.token, "select 1 as a")));
  assert.deepEqual(
    quick.flat(),
    Array.from({ length: 4 }, () => ({ a: 1 })),
  );
  const elapsedMs = performance.now() - startedMs;
  assert.ok(elapsedMs < 20_000, `the abandoned queries delayed the others by ${elapsedMs} ms`);
});

const LEAKS = [
  /\/tmp\//,
  /mooring-test-/,
  /\.ndjson/,
  /\.parquet/,
  /read_json/,
  /read_parquet/,
  /node_modules/,
  /\.ts:/,
];

function noPath(text: string): void {
  for (const leak of LEAKS) assert.doesNotMatch(text, leak);
  assert.ok(!text.includes(shared.server.dataDir));
}

const WRONG_SQL: readonly [string, string, RegExp][] = [
  ["select nope from logs", "invalid_sql", /nope/],
  ["select massage from logs", "invalid_sql", /message/],
  ["select * from nowhere", "", /nowhere/],
  ["selekt 1", "invalid_sql", /selekt|syntax/i],
  ["select count( from logs", "invalid_sql", /syntax|parser/i],
  ["select message::int from logs", "query_failed", /int|conver|cast/i],
  ["select 1; select 2", "", /one statement|single/i],
  ["", "invalid_body", /./],
  ["-- nothing", "", /./],
];

for (const [sql, code, detail] of WRONG_SQL) {
  test(`SQL errors help, and reveal nothing: ${sql === "" ? "(empty)" : sql}`, async () => {
    await ingested(shared.server, shared.token, "logs", [logEntry("not a number")]);
    const answer = await ask(sql);
    assert.equal(answer.status, 400, answer.text);
    const problem = answer.body as unknown as { code: string; detail: string };
    if (code !== "") assert.equal(problem.code, code, answer.text);
    assert.match(`${problem.detail}`, detail);
    noPath(answer.text);
  });
}

const FORBIDDEN_SQL = [
  "insert into logs select * from logs",
  "delete from logs",
  "drop table logs",
  "create table t as select 1",
  "copy logs to '/tmp/stolen.csv'",
  "copy (select 1) to 'stolen.csv'",
  "attach '/tmp/x.db'",
  "install httpfs",
  "load httpfs",
  "set memory_limit='100GB'",
  "pragma database_list",
  "call duckdb_settings()",
  "select * from duckdb_settings()",
  "select current_setting('temp_directory')",
  "select * from read_csv('/etc/passwd')",
  "select * from read_text('/etc/passwd')",
  "select * from '/etc/passwd'",
  "select * from glob('/**')",
  "select * from sqlite_master",
  "select * from information_schema.tables",
  "select * from pragma_table_info('logs')",
  "select getenv('HOME')",
  "explain analyze copy logs to '/tmp/stolen.csv'",
  "select * from query('select 1')",
  "select * from query_table('logs')",
  "select * from enable_logging('QueryLog')",
  "with x as (select * from read_json('/etc/passwd')) select * from x",
  "prepare p as select 1",
  "select nextval('s')",
];

for (const sql of FORBIDDEN_SQL) {
  test(`refused: ${sql}`, async () => {
    const answer = await ask(sql);
    assert.equal(answer.status, 400, answer.text.slice(0, 500));
    noPath(answer.text.replaceAll("/tmp/stolen.csv", "").replaceAll("/tmp/x.db", "").replaceAll("read_json", ""));
  });
}

const WRONG_BODIES: readonly [unknown, readonly string[]][] = [
  [{}, ["/sql"]],
  [{ sql: 5 }, ["/sql"]],
  [{ sql: "select 1", more: 1 }, ["/more"]],
  [{ sql: "select 1", limit: 0 }, ["/limit"]],
  [{ sql: "select 1", limit: 1.5 }, ["/limit"]],
  [{ sql: "select 1", limit: "10" }, ["/limit"]],
  [{ sql: "select 1", timeout_ms: 0 }, ["/timeout_ms"]],
  [{ sql: "select 1", timeout_ms: null }, ["/timeout_ms"]],
  [{ sql: "select ?", parameters: "x" }, ["/parameters"]],
  [{ sql: "select 1", explain: "yes" }, ["/explain"]],
  [{ limit: 0, more: 1 }, ["/limit", "/more", "/sql"]],
];

for (const [json, pointers] of WRONG_BODIES) {
  test(`a query of ${JSON.stringify(json)} is 400 at ${pointers.join(" ")}`, async () => {
    const answer = await shared.server.call("POST", "/v1/query", { token: shared.token, json });
    refused(answer, 400, "invalid_body", pointers);
  });
}

test("a parameter that is not a scalar is refused with its place", async () => {
  const answer = await shared.server.call("POST", "/v1/query", {
    token: shared.token,
    json: { sql: "select ?", parameters: [{}] },
  });
  const problem = refused(answer, 400, "invalid_body");
  assert.match(problem.errors?.[0]?.pointer ?? "", /^\/parameters/);
});

test("broken JSON and other media types are refused", async () => {
  for (const raw of ["", "{", "null", "[]", '"select 1"', "[".repeat(500_000)]) {
    refused(await shared.server.call("POST", "/v1/query", { token: shared.token, raw }), 400, "invalid_body");
  }
  const headers = { "content-type": "application/sql" };
  refused(
    await shared.server.call("POST", "/v1/query", { token: shared.token, raw: "select 1", headers }),
    415,
    "unsupported_media_type",
  );
  const long = `select '${"x".repeat(70_000)}'`;
  assert.ok([400, 413].includes((await ask(long)).status));
});

interface Streamed {
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly lines: number;
  readonly lastLine: string;
}

async function streamed(sql: string): Promise<Streamed> {
  const startedMs = performance.now();
  const response = await fetch(`${shared.server.origin}/v1/query`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${shared.token}`,
      "content-type": "application/json",
      accept: "application/x-ndjson",
    },
    body: JSON.stringify({ sql, timeout_ms: 30_000 }),
  });
  assert.equal(response.status, 200);
  let firstByteMs = 0;
  let lines = 0;
  let tail = "";
  for await (const chunk of response.body ?? []) {
    if (firstByteMs === 0) firstByteMs = performance.now() - startedMs;
    const parts = (tail + Buffer.from(chunk as Uint8Array).toString("utf8")).split("\n");
    tail = parts.pop() ?? "";
    lines += parts.length;
  }
  assert.equal(tail, "", "ends with a line break");
  return { firstByteMs, totalMs: performance.now() - startedMs, lines, lastLine: tail };
}

test("200,000 rows stream: the first byte does not wait for the last row", async () => {
  const id = randomUUID();
  const batch = Array.from({ length: 1000 }, (_, i) => logEntry(id, { attributes: { i, text: "x".repeat(60) } }));
  for (let i = 0; i < 50; i++)
    await Promise.all(Array.from({ length: 4 }, () => ingested(shared.server, shared.token, "logs", batch)));
  const sql = `select * from logs where message = '${id}'`;
  const few = await streamed(`${sql} limit 20000`);
  assert.equal(few.lines, 20_000);
  const many = await streamed(sql);
  assert.equal(many.lines, 200_000);
  const bound = few.firstByteMs * 3 + 500;
  assert.ok(
    many.firstByteMs < bound,
    `first byte of 20,000 rows ${few.firstByteMs} ms, of 200,000 ${many.firstByteMs} ms of ${many.totalMs}`,
  );
  const [counted] = await rows<{ n: number }>(
    shared.server,
    shared.token,
    `select count(*) as n from logs where message = '${id}'`,
  );
  assert.equal(counted?.n, 200_000);
});
