import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { QueryRequest } from "../types.ts";
import type { QueryEngine } from "./index.ts";
import { makeInstance } from "./child/instance.ts";
import { PromotedAttributes } from "./child/promoted.ts";
import { admit, readTree } from "./gate/index.ts";
import { openFiles, type FilesEngine, type TestFile } from "./testing/files.ts";
import { resultText } from "./testing/harness.ts";

const START_MS = Date.UTC(2026, 10, 20);
const at = (seconds: number): string => new Date(START_MS + seconds * 1000).toISOString();
const ODD = `O'Neil "k" é.☃`;

/** Values of every type, also absent, null, nested, and empty. */
function attributesOf(i: number): Record<string, unknown> {
  const odd = [undefined, null, true, 3.5, "", { a: [1, "x"] }, [1, 2], `text "${i % 3}"`][i % 8];
  return {
    user: `u${i % 7}`,
    USER: i % 2,
    status: 200 + 100 * (i % 5),
    duration: i,
    path: `/a/${i % 4}`,
    ...(odd === undefined ? {} : { [ODD]: odd }),
    ...(i % 3 === 0 ? { rare: "yes" } : {}),
    nested: { deep: i % 2 },
  };
}

const log = (i: number): Record<string, unknown> => ({
  timestamp: at(i),
  level: ["info", "error"][i % 2],
  message: `m${i}`,
  service: ["api", "web", "db"][i % 3],
  trace_id: `t${i % 20}`,
  ...(i % 11 === 0 ? {} : { attributes: attributesOf(i) }),
});
const span = (i: number): Record<string, unknown> => ({
  timestamp: at(i),
  trace_id: `t${i % 20}`,
  span_id: `s${i}`,
  name: "n",
  status: "ok",
  duration_ms: i,
  attributes: { user: `u${i % 5}`, attempt: i },
});
const upTo = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

const FILES: readonly TestFile[] = [
  { type: "logs", rows: upTo(0, 40).map(log) },
  { type: "logs", rows: upTo(40, 80).map(log), promoted: ["user", ODD] },
  { type: "logs", rows: upTo(80, 120).map(log), promoted: ["user", "USER", "status", "duration", "path", ODD, "rare"] },
  { type: "logs", rows: upTo(120, 140).map(log), promoted: ["status", "rare", "nested"] },
  { type: "traces", rows: upTo(0, 30).map(span), promoted: ["user"] },
  { type: "traces", rows: upTo(30, 50).map(span) },
];
const HOT = {
  logs: upTo(140, 170).map(log),
  traces: upTo(50, 60).map(span),
  metrics: [{ timestamp: at(0), name: "u1", value: 1, tags: { user: "u1" } }],
};

const U = "attributes->>'user'";
const D = "(attributes->>'duration')::INT";
const ODD_KEY = `'${ODD.replaceAll("'", "''")}'`;

/** Statements of every form that reads attributes. The order of rows does not count. */
const STATEMENTS: readonly string[] = [
  // In the select list.
  `SELECT ${U} FROM logs`,
  `SELECT ${U}, ${U} AS u, upper(${U}) FROM logs`,
  `SELECT attributes->>'USER', attributes->>'User', attributes->>'user' FROM logs`,
  `SELECT attributes->>${ODD_KEY} FROM logs`,
  `SELECT json_extract_string(attributes, 'user'), json_extract_string(attributes, '$.user'), json_extract_string(attributes, '/user') FROM logs`,
  `SELECT attributes->>'nested', attributes->'nested'->>'deep', (attributes->>'nested')->>'deep' FROM logs`,
  `SELECT attributes->>'absent', attributes->>'$.user', attributes->>'/user', attributes->>0 FROM logs`,
  `SELECT attributes, ${U} FROM logs`,
  `SELECT *, ${U} FROM logs`,
  `SELECT * FROM logs WHERE ${U} = 'u1'`,
  `FROM logs WHERE ${U} = 'u1'`,
  `SELECT l.* FROM logs l WHERE l.attributes->>'user' = 'u1'`,
  `SELECT * EXCLUDE (attributes) FROM logs WHERE ${U} = 'u1'`,
  `SELECT * EXCLUDE (attributes, level), ${U} AS level FROM logs`,
  `SELECT * REPLACE (upper(level) AS level) FROM logs WHERE ${U} = 'u1'`,
  `SELECT * REPLACE (${U} AS message) FROM logs WHERE ${U} = 'u1'`,
  `SELECT * REPLACE (${U} AS attributes) FROM logs`,
  `SELECT * RENAME (level AS severity_text) FROM logs WHERE ${U} = 'u1'`,
  `SELECT COLUMNS('m.*') FROM logs WHERE ${U} = 'u1'`,
  `SELECT COLUMNS(*) FROM logs WHERE ${U} = 'u1'`,
  `SELECT COLUMNS(c -> c LIKE '%a%') FROM logs WHERE ${U} = 'u1'`,
  `SELECT * LIKE '%e%' FROM logs WHERE ${U} = 'u1'`,
  `SELECT max(COLUMNS(*)) FROM logs WHERE ${U} = 'u1'`,
  `SELECT logs FROM logs WHERE ${U} = 'u1'`,
  `SELECT l FROM logs l WHERE ${U} = 'u1'`,
  `SELECT to_json(l) FROM logs l WHERE ${U} = 'u1'`,
  `SELECT (SELECT l) FROM logs l WHERE ${U} = 'u1'`,
  `SELECT struct_keys(l) FROM logs l WHERE l.attributes->>'user' = 'u1'`,
  `SELECT count(*), count(${U}), count(DISTINCT ${U}) FROM logs`,
  `SELECT DISTINCT ${U} FROM logs`,
  `SELECT DISTINCT ON (${U}) ${U} FROM logs ORDER BY ${U}, timestamp`,
  `SELECT ${U} || 'x' FROM logs WHERE attributes->>'rare' IS NOT NULL`,
  `SELECT coalesce(${U}, 'none'), nullif(${U}, 'u1'), CASE WHEN ${U} = 'u1' THEN 1 ELSE 2 END FROM logs`,
  `SELECT (${D})::DOUBLE, max(${D}::DOUBLE), (${U})::BLOB, ('2026-11-20' || ${U})::TIMESTAMPTZ IS NULL FROM logs WHERE false GROUP BY ALL`,
  `SELECT (${D})::TINYINT, (${D})::HUGEINT, (${D})::DECIMAL(10, 2), [${D}]::DOUBLE[] FROM logs WHERE ${D} < 50`,
  ...`BOOLEAN SMALLINT INTEGER BIGINT REAL VARCHAR TEXT TIME TIMESTAMP INTERVAL TINYINT HUGEINT UHUGEINT UTINYINT USMALLINT UINTEGER UBIGINT FLOAT8 BLOB UUID DATE TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS TIMETZ TIMESTAMPTZ JSON BIT DECIMAL`
    .split(" ")
    .map((type) => `SELECT TRY_CAST(${U} AS ${type}), count(${U}) FROM logs WHERE ${U} = 'u1' GROUP BY ALL`),
  `SELECT (${U})::VARCHAR, TRY_CAST(${U} AS INT), ${D} + 1, -(${D}) FROM logs`,
  `SELECT typeof(${U}), ${U} IN ('u1', 'u2'), ${U} BETWEEN 'u1' AND 'u3', ${U} LIKE 'u%' FROM logs`,
  `SELECT list_filter(['u1', 'u2'], x -> x = (${U})) FROM logs`,
  `SELECT list_transform([attributes], attributes -> attributes->>'user') FROM logs`,
  `SELECT list_transform([1], lambda a: attributes->>'user') FROM logs`,
  `SELECT struct_pack(u := ${U}), {'u': ${U}}, [${U}], map(['k'], [${U}]) FROM logs`,
  `SELECT unnest([${U}, 'x']) FROM logs`,
  `SELECT level AS attributes, message FROM logs WHERE message = 'm1'`,
  `SELECT '{"user": 1}'::JSON AS attributes, attributes->>'user' FROM logs`,
  `SELECT attributes->>'user' AS attributes FROM logs WHERE attributes->>'user' = 'u1' ORDER BY attributes`,
  `SELECT "attributes"->>'user', logs.attributes->>'user', main.logs.attributes->>'user' FROM logs`,
  `SELECT LOGS."Attributes"->>'user' FROM logs`,
  `SELECT attributes.user FROM logs`,
  `SELECT attributes['user'] FROM logs`,
  `SELECT u FROM (SELECT ${U} AS u FROM logs) WHERE u = 'u1'`,
  `SELECT * FROM (SELECT ${U} FROM logs)`,
  `SELECT "(attributes ->> 'user')" FROM (SELECT ${U} FROM logs)`,
  // grouping
  `SELECT ${U}, count(*) FROM logs GROUP BY ${U}`,
  `SELECT ${U}, count(*) FROM logs GROUP BY 1 ORDER BY 1`,
  `SELECT ${U} AS u, count(*) FROM logs GROUP BY u ORDER BY u`,
  `SELECT ${U}, count(*) FROM logs GROUP BY ALL`,
  `SELECT ${U}, count(*) FROM logs GROUP BY ALL ORDER BY ALL`,
  `SELECT upper(${U}), count(*) FROM logs GROUP BY upper(${U}) HAVING count(*) > 3`,
  `SELECT upper(${U}), count(*) FROM logs GROUP BY ${U}`,
  `SELECT ${U}, count(*) FROM logs GROUP BY attributes`,
  `SELECT ${U}, attributes, count(*) FROM logs GROUP BY attributes`,
  `SELECT ${U}, attributes, count(*) FROM logs GROUP BY ALL`,
  `SELECT (${U}) || count(*) FROM logs GROUP BY attributes`,
  `SELECT count(*) FROM logs GROUP BY ${U} HAVING ${U} > 'u3'`,
  `SELECT ${U}, attributes->>'path', count(*) FROM logs GROUP BY ROLLUP (${U}, attributes->>'path')`,
  `SELECT ${U}, grouping(${U}), count(*) FROM logs GROUP BY GROUPING SETS ((${U}), ())`,
  `SELECT ${U} AS u, sum(${D}) FILTER (WHERE attributes->>'rare' = 'yes') FROM logs GROUP BY u`,
  `SELECT string_agg(${U}, ',' ORDER BY ${D}, timestamp) FROM logs`,
  `SELECT list(${U} ORDER BY timestamp) FROM logs`,
  `SELECT any_value(${U}) FROM logs WHERE ${U} = 'u2'`,
  `SELECT any_value(attributes)->>'user' FROM logs WHERE ${U} = 'u2'`,
  `SELECT quantile_cont(${D}, 0.5), avg(${D}) FROM logs`,
  `SELECT logs.attributes->>'user', count(*) FROM logs GROUP BY ${U}`,
  `SELECT level, max(${U}) AS m FROM logs GROUP BY level HAVING max(${U}) = 'u6'`,
  `SELECT date_trunc('minute', timestamp) AS m, ${U} AS u, count(*) AS n FROM logs GROUP BY m, u ORDER BY m, u`,
  // order, windows, limits
  `SELECT message FROM logs ORDER BY ${U}, message LIMIT 5`,
  `SELECT ${U} FROM logs ORDER BY ${U} DESC NULLS LAST, message LIMIT 7`,
  `SELECT message, ${D} AS d FROM logs ORDER BY d DESC LIMIT 3 OFFSET 2`,
  `SELECT message, row_number() OVER (PARTITION BY ${U} ORDER BY ${D}, timestamp) AS r FROM logs`,
  `SELECT message, row_number() OVER (PARTITION BY ${U} ORDER BY ${D}, timestamp) FROM logs`,
  `SELECT message FROM logs QUALIFY row_number() OVER (PARTITION BY ${U} ORDER BY timestamp) = 1`,
  `SELECT lag(${U}) OVER w AS p FROM logs WINDOW w AS (ORDER BY timestamp)`,
  `SELECT message, sum(${D}) OVER (PARTITION BY ${U} ORDER BY timestamp ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS s FROM logs`,
  // conditions
  `SELECT message FROM logs WHERE ${U} = 'u1' AND attributes->>'status' = '200'`,
  `SELECT message FROM logs WHERE ${U} = 'u1' OR attributes->>'rare' IS NOT NULL`,
  `SELECT message FROM logs WHERE NOT (${U} = 'u1')`,
  `SELECT message FROM logs WHERE ${U} IS NULL`,
  `SELECT message FROM logs WHERE ${U} IS DISTINCT FROM 'u1'`,
  `SELECT message FROM logs WHERE attributes->>${ODD_KEY} = ''`,
  `SELECT message FROM logs WHERE attributes->>${ODD_KEY} IS NULL`,
  `SELECT message FROM logs WHERE ${D} > 50 AND ${D} < 130`,
  `SELECT message FROM logs WHERE (attributes->>'status')::INT >= 500`,
  `SELECT message FROM logs WHERE ${U} = ANY (['u1', 'u2'])`,
  `SELECT message FROM logs WHERE ${U} IN (SELECT attributes->>'user' FROM traces)`,
  `SELECT message FROM logs WHERE ${U} NOT IN (SELECT attributes->>'user' FROM traces WHERE attributes->>'user' IS NOT NULL)`,
  `SELECT message FROM logs WHERE regexp_matches(${U}, '^u[12]$')`,
  `SELECT message FROM logs WHERE contains(${U}, '3')`,
  `SELECT message FROM logs WHERE json_extract_string(attributes, 'user') = 'u1'`,
  `SELECT message FROM logs WHERE attributes->'user' = '"u1"'`,
  // subqueries and common table expressions
  `WITH l AS (SELECT ${U} AS u, * FROM logs) SELECT u, count(*) FROM l GROUP BY u`,
  `WITH l AS (SELECT * FROM logs WHERE ${U} = 'u1') SELECT attributes->>'status', count(*) FROM l GROUP BY 1`,
  `WITH logs AS (SELECT * FROM traces) SELECT ${U} FROM logs`,
  `WITH logs AS (SELECT * FROM logs WHERE ${U} = 'u1') SELECT * FROM logs`,
  `WITH a AS (SELECT ${U} FROM logs) SELECT * FROM a`,
  `WITH a AS MATERIALIZED (SELECT ${U}, count(*) FROM logs GROUP BY 1) SELECT * FROM a, a b`,
  `WITH RECURSIVE r(n, u) AS (SELECT 0, 'u0' UNION ALL SELECT n + 1, (SELECT max(attributes->>'user') FROM logs) FROM r WHERE n < 3) SELECT * FROM r`,
  `SELECT (SELECT count(*) FROM logs WHERE ${U} = 'u1')`,
  `SELECT (SELECT count(*) FROM logs WHERE ${U} = 'u1'), 1 AS one`,
  `SELECT (SELECT max(${U}) FROM logs) AS m, EXISTS (FROM logs WHERE ${U} = 'u9')`,
  `SELECT message, (SELECT count(*) FROM traces t WHERE t.attributes->>'user' = l.attributes->>'user') AS n FROM logs l`,
  `SELECT message, (SELECT count(*) FROM metrics m WHERE m.name = attributes->>'user') AS n FROM logs`,
  `SELECT message, (SELECT max(attributes->>'user') FROM traces) FROM logs WHERE ${U} = 'u1'`,
  `SELECT message FROM logs l WHERE EXISTS (FROM traces t WHERE t.trace_id = l.trace_id AND t.attributes->>'user' = 'u1' AND l.attributes->>'user' = 'u2')`,
  `SELECT u, n FROM (SELECT ${U} AS u, count(*) AS n FROM logs GROUP BY 1) WHERE n > 20`,
  `SELECT x.u FROM logs l, LATERAL (SELECT l.attributes->>'user' AS u) x`,
  `SELECT k.key FROM logs, json_each(attributes) k WHERE ${U} = 'u1'`,
  `SELECT l.message, k.key FROM logs l, json_each(l.attributes) k WHERE l.attributes->>'user' = 'u1'`,
  `SELECT message, t FROM logs, unnest([1, 2]) AS x(t) WHERE logs.attributes->>'user' = 'u1'`,
  `SELECT *, l.attributes->>'user' FROM logs l, (SELECT 1 AS one) o`,
  // joins
  `SELECT l.message, t.span_id FROM logs l JOIN traces t ON l.attributes->>'user' = t.attributes->>'user' AND l.trace_id = t.trace_id`,
  `SELECT l.message, t.span_id FROM logs l JOIN traces t USING (trace_id) WHERE l.attributes->>'user' = 'u1' AND t.attributes->>'user' = 'u1'`,
  `SELECT * FROM logs l JOIN traces t USING (trace_id) WHERE l.attributes->>'user' = 'u1'`,
  `SELECT * FROM logs l JOIN traces t USING (trace_id) WHERE l.attributes->>'user' = 'u1' AND t.attributes->>'user' = 'u2'`,
  `SELECT l.*, t.attributes->>'user' FROM logs l JOIN traces t USING (trace_id) WHERE l.attributes->>'user' = 'u1'`,
  `SELECT t.*, l.attributes->>'user' FROM logs l LEFT JOIN traces t ON l.trace_id = t.trace_id AND t.attributes->>'user' = l.attributes->>'user'`,
  `SELECT l.attributes->>'user', t.attributes->>'user' FROM logs l FULL JOIN traces t ON l.message = t.span_id`,
  `SELECT a.message, b.message FROM logs a JOIN logs b ON a.attributes->>'user' = b.attributes->>'user' WHERE a.level = 'info' AND b.attributes->>'rare' = 'yes'`,
  `SELECT * FROM logs a, logs b WHERE a.attributes->>'user' = 'u1' AND b.attributes->>'user' = 'u2' AND a.trace_id = b.trace_id`,
  `SELECT ${U} FROM logs JOIN metrics ON name = ${U}`,
  `SELECT attributes->>'user' FROM logs l JOIN metrics m ON m.name = l.attributes->>'user'`,
  `SELECT count(*) FROM logs NATURAL JOIN traces WHERE logs.attributes->>'user' = 'u1'`,
  `SELECT count(*) FROM logs l NATURAL JOIN traces t WHERE l.attributes->>'user' = 'u1' AND t.attributes->>'user' = 'u1'`,
  `SELECT l.message FROM logs l SEMI JOIN traces t ON l.attributes->>'user' = t.attributes->>'user'`,
  `SELECT * FROM logs l ANTI JOIN traces t ON l.trace_id = t.trace_id AND l.attributes->>'user' = t.attributes->>'user'`,
  `SELECT l.message, t.span_id FROM logs l ASOF JOIN traces t ON l.attributes->>'user' = t.attributes->>'user' AND l.timestamp >= t.timestamp`,
  `SELECT count(*) FROM logs l POSITIONAL JOIN traces t WHERE l.attributes->>'user' = 'u1'`,
  `SELECT ${U} FROM logs JOIN traces USING (trace_id)`,
  `SELECT ${U} FROM logs l(a, b, c)`,
  `SELECT attributes->>'user' FROM logs AS x, traces AS y`,
  `SELECT x.attributes->>'user' FROM logs x, traces x`,
  // sets
  `SELECT ${U} FROM logs UNION SELECT ${U} FROM traces`,
  `SELECT ${U} AS u FROM logs UNION ALL SELECT ${U} FROM traces ORDER BY u LIMIT 20`,
  `SELECT ${U} FROM logs UNION ALL SELECT ${U} FROM traces ORDER BY ${U} LIMIT 20`,
  `SELECT ${U} FROM logs EXCEPT SELECT ${U} FROM traces`,
  `SELECT ${U} FROM logs INTERSECT SELECT ${U} FROM traces`,
  `SELECT * FROM logs WHERE ${U} = 'u1' UNION ALL SELECT * FROM logs WHERE ${U} = 'u2'`,
  `SELECT *, 1 AS x FROM logs WHERE ${U} = 'u1' UNION BY NAME SELECT trace_id, ${U} AS y FROM traces`,
  // Other statements.
  `DESCRIBE SELECT ${U}, attributes->>'rare' AS r FROM logs`,
  `DESCRIBE SELECT * FROM logs WHERE ${U} = 'u1'`,
  `SUMMARIZE SELECT ${U} AS u FROM logs`,
  `PIVOT (SELECT level, ${U} AS u FROM logs) ON level IN ('info', 'error') USING count(*) GROUP BY u`,
  `PIVOT logs ON level IN ('info', 'error') USING max(attributes->>'user') GROUP BY service`,
  `UNPIVOT (SELECT message, ${U} AS a, attributes->>'path' AS b FROM logs) ON a, b INTO NAME n VALUE v`,
  `SELECT * FROM logs PIVOT (count(*) FOR level IN ('info') GROUP BY service)`,
  `VALUES ((SELECT max(${U}) FROM logs))`,
  `SELECT ${U} FROM logs USING SAMPLE 100%`,
  `SELECT count(${U}) FROM logs TABLESAMPLE 100%`,
  // Errors are the same as without promoted columns.
  `SELECT ${U}, level FROM logs GROUP BY ${U}`,
  `SELECT nothing FROM logs WHERE ${U} = 'u1'`,
  `SELECT attribute_75736572 FROM logs WHERE ${U} = 'u1'`,
  `SELECT attribute_75736572 FROM logs`,
  `SELECT (${U})::INT FROM logs WHERE ${U} = 'u1'`,
  `SELECT x.attributes->>'user' FROM logs`,
  `SELECT attributes->>'user' FROM metrics`,
];

interface Answer {
  readonly columns: unknown;
  readonly rows: readonly unknown[];
}

describe("promoted attributes", { concurrency: 2 }, () => {
  let files: FilesEngine;
  let engine: QueryEngine;
  let plain: QueryEngine;

  before(async () => {
    files = await openFiles(FILES, HOT);
    engine = files.engine();
    plain = files.engine({ promotion: false });
  });
  after(async () => {
    await files.close();
  });

  async function answer(of: QueryEngine, sql: string, overrides: Partial<QueryRequest> = {}): Promise<Answer | string> {
    try {
      const { columns, rows } = JSON.parse(await resultText(of, sql, overrides)) as Answer;
      return { columns, rows: rows.map((row) => JSON.stringify(row)).toSorted() };
    } catch (error) {
      return String(error);
    }
  }

  for (const sql of STATEMENTS) {
    test(sql, async () => {
      const [with_, without] = await Promise.all([answer(engine, sql), answer(plain, sql)]);
      assert.deepEqual(with_, without);
    });
  }

  test("most statements read columns; statements that would show the columns do not", async () => {
    const tables = new Set(["logs", "metrics", "traces"]);
    const instance = await makeInstance(1);
    const evaluate = async (sql: string, parameter: string): Promise<string> =>
      String((await instance.connection.runAndReadAll(sql, [parameter])).getRows()[0]?.[0]);
    const columns = new Map([
      ["logs", ["user", "USER", "status", "duration", "path", ODD, "rare", "nested"]],
      ["traces", ["user"]],
    ]);
    const changed: string[] = [];
    for (const sql of STATEMENTS) {
      const tree = readTree(await admit(sql, tables, evaluate), tables);
      const read = await new PromotedAttributes(tree, new Set(["logs", "traces"])).apply(columns, evaluate);
      if (read.size > 0) changed.push(sql);
    }
    instance.close();
    assert.ok(changed.length > 100, `${changed.length} are`);
    for (const shows of ["COLUMNS(", " NATURAL ", "SELECT l FROM", "to_json(l)", "POSITIONAL"])
      assert.deepEqual(
        changed.filter((sql) => sql.includes(shows)),
        [],
        shows,
      );
  });

  test("the store gets the attributes that queries asked for", async () => {
    const start = files.asked.length;
    await answer(engine, `SELECT ${U}, t.attributes->>'attempt', attributes->>'$.x' FROM logs, traces t`);
    await answer(
      engine,
      `SELECT l.attributes->>'user', t.attributes->>'attempt' FROM logs l JOIN traces t USING (trace_id) WHERE l.attributes->>'rare' = 'yes'`,
    );
    assert.deepEqual(
      files.asked.slice(start).sort((a, b) => a.type.localeCompare(b.type)),
      [
        { type: "logs", keys: ["user", "rare"] },
        { type: "traces", keys: ["attempt"] },
        { type: "traces", keys: ["attempt"] },
      ],
    );
  });
});
