import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeInstance, type Instance } from "../child/instance.ts";
import { admit, Refusal, SyntaxFault } from "./index.ts";

const TABLES: ReadonlySet<string> = new Set(["logs", "traces"]);

/**
 * Conditions without parentheses, and with those of PostgreSQL's precedence. `j` is JSON, `s` a text, `n` a number, `b`
 * a boolean.
 */
const CONDITIONS: readonly (readonly [written: string, meant: string])[] = [
  ["b AND j->>'k' = 'v'", "b AND ((j->>'k') = 'v')"],
  ["j->>'k' = 'v' AND b", "((j->>'k') = 'v') AND b"],
  ["b OR j->>'k' = 'v'", "b OR ((j->>'k') = 'v')"],
  ["j->>'k' = 'v' OR j->>'l' = 'w'", "((j->>'k') = 'v') OR ((j->>'l') = 'w')"],
  ["b AND n = 1 AND j->>'k' = 'v' AND j->>'l' = 'w'", "b AND (n = 1) AND ((j->>'k') = 'v') AND ((j->>'l') = 'w')"],
  ["b OR n = 1 AND j->>'k' = 'v' OR s = 'v'", "b OR ((n = 1) AND ((j->>'k') = 'v')) OR (s = 'v')"],
  ["b OR j->>'k' = 'v' AND n = 1 AND s = 'v'", "b OR (((j->>'k') = 'v') AND (n = 1) AND (s = 'v'))"],
  ["NOT j->>'k' = 'v'", "NOT ((j->>'k') = 'v')"],
  ["b AND NOT j->>'k' = 'v' AND n > 0", "b AND (NOT ((j->>'k') = 'v')) AND (n > 0)"],
  ["NOT b AND j->>'k' = 'v'", "(NOT b) AND ((j->>'k') = 'v')"],
  ["NOT s = j->>'k'", "NOT (s = (j->>'k'))"],
  ["s = j->>'k'", "s = (j->>'k')"],
  ["s <> j->>'k' AND n > 0", "(s <> (j->>'k')) AND (n > 0)"],
  ["j->>'k' = j->>'l'", "(j->>'k') = (j->>'l')"],
  ["b AND j->>'k' < j->>'l' OR j->>'k' >= s", "(b AND ((j->>'k') < (j->>'l'))) OR ((j->>'k') >= s)"],
  ["s IS DISTINCT FROM j->>'k'", "s IS DISTINCT FROM (j->>'k')"],
  ["b AND j->>'k' IN ('v', 'w')", "b AND ((j->>'k') IN ('v', 'w'))"],
  ["b OR j->>'k' NOT IN ('v', 'w')", "b OR ((j->>'k') NOT IN ('v', 'w'))"],
  ["b OR j->>'k' IN (SELECT 'v')", "b OR ((j->>'k') IN (SELECT 'v'))"],
  ["b OR j->>'k' NOT IN (SELECT 'v')", "b OR ((j->>'k') NOT IN (SELECT 'v'))"],
  ["b OR j->>'k' = ANY(['v'])", "b OR ((j->>'k') = ANY(['v']))"],
  ["b AND j->>'k' LIKE 'v%'", "b AND ((j->>'k') LIKE 'v%')"],
  ["b OR j->>'k' NOT ILIKE 'V%'", "b OR ((j->>'k') NOT ILIKE 'V%')"],
  ["b OR j->>'k' LIKE 'v!%' ESCAPE '!'", "b OR ((j->>'k') LIKE 'v!%' ESCAPE '!')"],
  ["b OR j->>'k' SIMILAR TO 'v|w'", "b OR ((j->>'k') SIMILAR TO 'v|w')"],
  ["b OR j->>'k' NOT SIMILAR TO 'v|w'", "b OR ((j->>'k') NOT SIMILAR TO 'v|w')"],
  ["b OR j->>'k' ~ 'v'", "b OR ((j->>'k') ~ 'v')"],
  ["s LIKE j->>'k' AND b", "(s LIKE (j->>'k')) AND b"],
  ["b OR j->>'k' IS NULL", "b OR ((j->>'k') IS NULL)"],
  ["b AND j->>'k' IS NOT NULL AND n > 0", "b AND ((j->>'k') IS NOT NULL) AND (n > 0)"],
  ["s IS NULL OR j->>'k' = 'v'", "(s IS NULL) OR ((j->>'k') = 'v')"],
  ["b OR j->>'k' = 'v' IS NULL", "b OR (((j->>'k') = 'v') IS NULL)"],
  ["b OR j->>'k' = 'v' IS NOT TRUE AND n > 0", "b OR ((((j->>'k') = 'v') IS NOT TRUE) AND (n > 0))"],
  ["b OR j->>'k' LIKE 'v' = false", "b OR (((j->>'k') LIKE 'v') = false)"],
  ["b AND j->>'k' BETWEEN 'a' AND 'v'", "b AND ((j->>'k') BETWEEN 'a' AND 'v')"],
  ["b OR j->>'k' NOT BETWEEN 'a' AND 'v'", "b OR ((j->>'k') NOT BETWEEN 'a' AND 'v')"],
  ["s BETWEEN 'a' AND j->>'k' OR b", "(s BETWEEN 'a' AND (j->>'k')) OR b"],
  ["n BETWEEN 1 AND 2 AND j->>'k' = 'v'", "(n BETWEEN 1 AND 2) AND ((j->>'k') = 'v')"],
  ["b OR j->>'k' || '!' = 'v!'", "b OR (((j->>'k') || '!') = 'v!')"],
  ["b AND (j->>'n')::INT > 1 AND j->>'k' = 'v'", "b AND ((j->>'n')::INT > 1) AND ((j->>'k') = 'v')"],
  ["n > 0 AND CAST(j->>'n' AS INT) + 1 = 3", "(n > 0) AND (CAST((j->>'n') AS INT) + 1 = 3)"],
  ["b OR upper(j->>'k') = 'V'", "b OR (upper((j->>'k')) = 'V')"],
  [
    "b OR CASE WHEN b OR j->>'k' = 'v' THEN j->>'l' END = 'w'",
    "b OR (CASE WHEN b OR ((j->>'k') = 'v') THEN (j->>'l') END = 'w')",
  ],
  // `->`, whose right side is everything that follows
  ["j->'k' = '\"v\"'", "(j->'k') = '\"v\"'"],
  ["j->'k' = '\"v\"' AND b", "((j->'k') = '\"v\"') AND b"],
  ["b OR j->'k' = '\"v\"' AND j->'l' IS NOT NULL", "b OR (((j->'k') = '\"v\"') AND ((j->'l') IS NOT NULL))"],
  ["NOT j->'k' IN ('\"v\"') OR b", "(NOT ((j->'k') IN ('\"v\"'))) OR b"],
  ["b OR j->'o'->>'p' = 'q'", "b OR (((j->'o')->>'p') = 'q')"],
  [
    "j->'o'->'p' = '\"q\"' OR b AND j->'o'->>'p' = 'q'",
    "(((j->'o')->'p') = '\"q\"') OR (b AND (((j->'o')->>'p') = 'q'))",
  ],
  ["b OR j->'list'->>0 = '7'", "b OR (((j->'list')->>0) = '7')"],
  // The left side may be another expression than a column.
  ["b OR (j)->>'k' = 'v'", "b OR ((j)->>'k' = 'v')"],
  ["b OR j::JSON->>'k' = 'v'", "b OR (((j::JSON)->>'k') = 'v')"],
  ["b OR '{\"k\": \"v\"}'->>'k' = s", "b OR (('{\"k\": \"v\"}'->>'k') = s)"],
  ["b OR json_extract(j, '$.o')->>'p' = 'q'", "b OR ((json_extract(j, '$.o')->>'p') = 'q')"],
  ["b OR (SELECT j)->>'k' = 'v'", "b OR (((SELECT j)->>'k') = 'v')"],
  ["b OR logs.j->>'k' = 'v'", "b OR ((logs.j->>'k') = 'v')"],
  ["b OR j->>s = 'v'", "b OR ((j->>s) = 'v')"],
  // lambdas
  [
    "b OR len(list_filter(['v'], lambda x: b OR j->>'k' = x)) = 1",
    "b OR (len(list_filter(['v'], lambda x: b OR ((j->>'k') = x))) = 1)",
  ],
  [
    "len(list_filter([1, 2], x -> x > 1 AND b)) = 1 AND j->>'k' = 'v'",
    "(len(list_filter([1, 2], x -> (x > 1 AND b))) = 1) AND ((j->>'k') = 'v')",
  ],
  ["len([x FOR x IN ['v'] IF b OR j->>'k' = x]) = 1", "len([x FOR x IN ['v'] IF b OR ((j->>'k') = x)]) = 1"],
  // Written parentheses group their content.
  ["(b OR j->>'k' = 'v') AND n = 1", "(b OR ((j->>'k') = 'v')) AND (n = 1)"],
  ["(b OR j->>'k' = 'v') AND n > 0 AND j->>'l' = 'w'", "(b OR ((j->>'k') = 'v')) AND (n > 0) AND ((j->>'l') = 'w')"],
  ["(b OR j->>'k' = 'v') IS NULL", "(b OR ((j->>'k') = 'v')) IS NULL"],
  ["(b OR j->>'k' LIKE 'v') = false", "(b OR ((j->>'k') LIKE 'v')) = false"],
  ["NOT (b OR j->>'k' = 'v')", "NOT (b OR ((j->>'k') = 'v'))"],
  ["NOT (n = 1 AND j->>'k' IN ('v'))", "NOT ((n = 1) AND ((j->>'k') IN ('v')))"],
  ["NOT (n = 2 OR ((b OR j->>'k' > (('u')))))", "NOT ((n = 2) OR (b OR ((j->>'k') > 'u')))"],
  ["(NOT s = j->>'k') IS NULL", "(NOT (s = (j->>'k'))) IS NULL"],
  ["(j->>'k') = 'v' AND b", "((j->>'k') = 'v') AND b"],
  // Characters that only look like parentheses or arrows.
  ["s <> ')' /* ( /* ( */ */ AND -- (\n j->>'k' <> '->>('", "(s <> ')') AND ((j->>'k') <> '->>(')"],
  ["s <> $$)$$ AND j->>'k' <> E'\\'(' OR \"b\"", "((s <> ')') AND ((j->>'k') <> '(')) OR b"],
  ["s <> 'é€😀)' AND j->>'k' = 'v'", "(s <> 'é') AND ((j->>'k') = 'v')"],
  // Numbers that JavaScript can't hold.
  ["9007199254740993 > 9007199254740992 AND 1.10 < 1.11 AND j->>'k' = 'v'", "true AND ((j->>'k') = 'v')"],
];

/** Whole statements, in both forms. */
const STATEMENTS: readonly (readonly [written: string, meant: string])[] = [
  [
    "SELECT count(*) FILTER (b AND j->>'k' = 'v') AS n, b OR j->>'k' = 'v' AS named FROM logs GROUP BY named ORDER BY ALL",
    "SELECT count(*) FILTER (b AND ((j->>'k') = 'v')) AS n, (b OR ((j->>'k') = 'v')) AS named FROM logs GROUP BY named ORDER BY ALL",
  ],
  [
    "SELECT s, count(*) FROM logs GROUP BY s HAVING count(*) > 0 AND min(j)->>'k' = 'v' ORDER BY ALL",
    "SELECT s, count(*) FROM logs GROUP BY s HAVING (count(*) > 0) AND ((min(j)->>'k') = 'v') ORDER BY ALL",
  ],
  [
    "SELECT l.n, r.n FROM logs l JOIN logs r ON l.n <> r.n AND l.j->>'k' = r.j->>'k' ORDER BY ALL",
    "SELECT l.n, r.n FROM logs l JOIN logs r ON (l.n <> r.n) AND ((l.j->>'k') = (r.j->>'k')) ORDER BY ALL",
  ],
  [
    "WITH x AS (SELECT * FROM logs WHERE b OR j->>'k' = 'v') SELECT n FROM x WHERE n > 1 AND EXISTS (SELECT 1 WHERE n > 0 AND x.j->>'k' = 'v') ORDER BY n",
    "WITH x AS (SELECT * FROM logs WHERE b OR ((j->>'k') = 'v')) SELECT n FROM x WHERE n > 1 AND EXISTS (SELECT 1 WHERE n > 0 AND ((x.j->>'k') = 'v')) ORDER BY n",
  ],
  [
    "SELECT {'q': b AND j->>'k' = 'v'}, struct_pack(q := n > 0 AND j->'k' = '\"v\"') FROM logs ORDER BY n",
    "SELECT {'q': b AND ((j->>'k') = 'v')}, struct_pack(q := (n > 0) AND ((j->'k') = '\"v\"')) FROM logs ORDER BY n",
  ],
];

/** The left side of an arrow is a condition. PostgreSQL refuses these too. */
const REFUSED: readonly string[] = [
  "(b AND j)->>'k' = 'v'",
  "(s = j)->>'k' = 'v'",
  "(NOT j)->>'k' = 'v'",
  "NOT (s = j)->>'k'",
  "b AND (n = 1 AND j)->>'k' = 'v'",
  "b AND (n = 1 OR j)->>'k' = 'v'",
  "(b AND j)->'k' = 'v'",
  "n IN (1)->>'k' = 'v'",
  "s IS NULL->>'k' = 'v'",
  // The parse tree no longer distinguishes this from NOT (s = … IS NULL).
  "NOT s = j->>'k' IS NULL",
  "b\u00a0AND j->>'k' = 'v'",
];

/** These stay unchanged and fail. The error says where parentheses are missing. */
const ADVISED: readonly string[] = [
  "'x' || j->>'k' = 'v'",
  "n + j->>'n' = 2",
  "j->>'n'::INT = 2",
  "j->('k' = 'v')",
  "len(list_filter(['v'], x -> b AND j->>'k' = x)) = 1",
];

describe("arrows", () => {
  let instance: Instance;
  const evaluate = async (sql: string, ...parameters: string[]): Promise<string> =>
    String((await instance.connection.runAndReadAll(sql, parameters)).getRows()[0]?.[0]);
  const admitted = (sql: string): ReturnType<typeof admit> => admit(sql, TABLES, evaluate);
  const rowsOf = async (sql: string): Promise<unknown> => (await instance.connection.runAndReadAll(sql)).getRowsJson();
  const values = (condition: string): string => `SELECT n, s, (${condition}) FROM logs ORDER BY ALL`;
  before(async () => {
    instance = await makeInstance(1);
    await instance.connection.run("CREATE TABLE logs (n INTEGER, s VARCHAR, b BOOLEAN, j JSON)");
    await instance.connection.run(`INSERT INTO logs
      SELECT n, s, b, j FROM range(1, 4) AS r(n), (VALUES ('v'), ('w'), (NULL)) AS t(s), (VALUES (true), (false), (NULL)) AS u(b),
      (VALUES ('{"k": "v", "l": "w", "n": 2, "o": {"p": "q"}, "list": [7]}'), ('{"k": "w", "l": "w", "n": 1}'), ('{}'), (NULL)) AS w(j)`);
  });
  after(() => {
    instance.close();
  });

  for (const [written, meant] of CONDITIONS) {
    test(`mean the same with and without parentheses: ${written}`, async () => {
      const rows = await rowsOf(values(meant));
      for (const condition of [written, meant])
        assert.deepEqual(await rowsOf((await admitted(values(condition))).sql), rows);
      const bare = await admitted(`SELECT n FROM logs WHERE ${written}`);
      const found = await rowsOf(`SELECT n FROM logs WHERE ${meant}`);
      for (const sql of [bare.sql, (await admitted(bare.sql)).sql]) assert.deepEqual(await rowsOf(sql), found);
    });
  }

  test("the rows distinguish the two readings", async () => {
    const results = await Promise.all(CONDITIONS.map(([, meant]) => rowsOf(values(meant))));
    const constant = results.filter((rows) => new Set((rows as unknown[][]).map((row) => row[2])).size < 2);
    assert.equal(constant.length, 0);
  });

  for (const [written, meant] of STATEMENTS) {
    test(`mean the same with and without parentheses: ${written}`, async () => {
      const rows = await rowsOf(meant);
      assert.ok((rows as unknown[]).length > 0);
      for (const sql of [written, meant]) assert.deepEqual(await rowsOf((await admitted(sql)).sql), rows);
    });
  }

  test("a parameter has no separate position in the tree", async () => {
    assert.match(
      (await admitted("SELECT NOT (b OR j->>'k' = ?) FROM logs")).sql,
      /NOT \(b OR \(\(j ->> 'k'\) = \$1\)\)/,
    );
    assert.match((await admitted("SELECT b OR j->?='v' FROM logs")).sql, /\(b OR \(\(j -> \$1\) = 'v'\)\)/);
  });

  test("a name applies to the whole expression", async () => {
    const { sql } = await admitted("SELECT b AND j->>'k' = 'v' AS first, j->'k' = '\"v\"' AS second FROM logs");
    assert.deepEqual((await instance.connection.runAndReadAll(sql)).columnNames(), ["first", "second"]);
  });

  test("an empty key selects the member with the empty name, never the whole value", async () => {
    const of = async (json: string, list: string): Promise<unknown[]> => {
      const { sql } = await admitted(`SELECT ${list} FROM (SELECT '${json}'::JSON AS j)`);
      const result = await instance.connection.runAndReadAll(sql);
      return [result.columnNames(), result.getRowsJson()[0]];
    };
    assert.deepEqual(await of(`{"": "v", "k": 1}`, "j->>'', j->'' AS json"), [
      ["(j ->> '')", "json"],
      ["v", '"v"'],
    ]);
    assert.deepEqual(await of(`{"k": 1}`, "j->>'', j->'', j->>'' IS NULL AS none, j->>'k' AS k"), [
      ["(j ->> '')", "(j -> '')", "none", "k"],
      [null, null, true, "1"],
    ]);
    assert.deepEqual(await of(`["v"]`, "list_transform(['a'], x -> '') AS list, j->>'' AS none"), [
      ["list", "none"],
      [[""], null],
    ]);
  });

  for (const condition of REFUSED) {
    test(`the error says where parentheses belong: ${condition}`, async () => {
      await assert.rejects(
        admitted(`SELECT * FROM logs WHERE ${condition}`),
        (error) => error instanceof SyntaxFault && /\(attributes->>'key'\)/.test(error.message),
      );
    });
  }

  for (const condition of ADVISED) {
    test(`stays unchanged, with advice: ${condition}`, async () => {
      const { sql, advice } = await admitted(`SELECT * FROM logs WHERE ${condition}`);
      await assert.rejects(rowsOf(sql));
      assert.match(advice ?? "", /\(attributes->>'key'\)/);
    });
  }

  test("no advice without an ambiguity", async () => {
    for (const [written] of CONDITIONS.slice(0, 40))
      assert.equal((await admitted(values(written))).advice, undefined, written);
  });

  test("a corrected statement is checked like any other", async () => {
    await assert.rejects(admitted("SELECT b AND read_text('x')->>'k' = 'v' FROM logs"), Refusal);
    await assert.rejects(admitted("SELECT b AND (SELECT j FROM pg_class)->>'k' = 'v' FROM logs"), Refusal);
    await assert.rejects(admitted("SELECT b AND (SELECT j FROM users)->>'k' = 'v' FROM logs"), SyntaxFault);
    await assert.rejects(admitted("SELECT b AND j->>'k' = 'v'::VARIANT FROM logs"), Refusal);
  });

  test("many conditions and deep nesting get an answer soon", async () => {
    const many = (count: number): string =>
      `SELECT n FROM logs WHERE ${Array(count).fill("j->>'k' = 'v'").join(" AND ")}`;
    assert.deepEqual(
      await rowsOf((await admitted(many(100))).sql),
      await rowsOf("SELECT n FROM logs WHERE (j->>'k') = 'v'"),
    );
    const startedMs = performance.now();
    await assert.rejects(admitted(many(3000)));
    await assert.rejects(admitted(`SELECT j->>${"abs(".repeat(10_000)}1${")".repeat(10_000)} FROM logs`));
    assert.ok(performance.now() - startedMs < 30_000);
  });
});
