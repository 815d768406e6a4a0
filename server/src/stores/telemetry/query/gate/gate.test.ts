import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeInstance, type Instance } from "../child/instance.ts";
import { admit, Refusal, SyntaxFault, type Admitted } from "./index.ts";
import { walkStatement } from "./walk.ts";

const TABLES: ReadonlySet<string> = new Set(["logs", "metrics", "traces"]);

describe("the gate", () => {
  let instance: Instance;
  const evaluate = async (sql: string, parameter: string): Promise<string> =>
    String((await instance.connection.runAndReadAll(sql, [parameter])).getRows()[0]?.[0]);
  const gate = (sql: string): Promise<Admitted> => admit(sql, TABLES, evaluate);
  before(async () => {
    instance = await makeInstance(1);
  });
  after(() => {
    instance.close();
  });

  test("names the tables that a statement reads", async () => {
    const used = async (sql: string): Promise<string[]> => [...(await gate(sql)).tables].sort();
    assert.deepEqual(await used("SELECT 1"), []);
    assert.deepEqual(await used("SELECT * FROM Logs JOIN main.traces USING (trace_id)"), ["logs", "traces"]);
    assert.deepEqual(await used("WITH logs AS (SELECT 1) SELECT * FROM logs"), [], "the name is the expression's");
    assert.deepEqual(
      await used("WITH x AS (SELECT * FROM logs) SELECT * FROM x WHERE EXISTS (SELECT 1 FROM metrics)"),
      ["logs", "metrics"],
    );
    assert.deepEqual(
      await used("SELECT * FROM (WITH logs AS (SELECT 1) FROM logs), logs"),
      ["logs"],
      "outside, the name is the table's",
    );
  });

  test("renders the checked statement, with its parameters", async () => {
    assert.equal(
      (await gate("select /* x */ level from logs where a = $level limit $n")).sql,
      'SELECT "level" FROM logs WHERE (a = $level) LIMIT $n',
    );
    assert.equal((await gate("from logs -- x\n;")).sql, "SELECT * FROM logs");
  });

  test("a text that could end a literal stays in it", async () => {
    for (const value of ["'; DROP VIEW logs; --", "a''b", "\\'", "\u0027\u2019", "$$", "\n--\n"]) {
      const { sql } = await gate(`SELECT '${value.replaceAll("'", "''")}' AS x FROM logs AS "a ""b; DROP"`);
      const [row] = (await instance.connection.runAndReadAll(sql.replace(/ FROM .*/s, ""))).getRows();
      assert.equal(row?.[0], value);
      assert.equal((await gate(sql)).sql, sql, "rendering is stable");
    }
  });

  test("reports the position of a syntax error", async () => {
    await assert.rejects(
      gate("SELECT 1 FRM logs x"),
      (error: Error) => error instanceof SyntaxFault && error.at === 13,
    );
    await assert.rejects(gate("  "), SyntaxFault);
  });

  test("names the refused part, and the allowed alternative", async () => {
    const message = async (sql: string): Promise<string> =>
      gate(sql).then(
        () => assert.fail("admitted"),
        (error: Error) => (error instanceof Refusal ? error.message : assert.fail(String(error))),
      );
    assert.match(await message("SELECT read_text('x')"), /function read_text.*reads files/);
    assert.match(
      await message("SELECT * FROM read_text('x')"),
      /allowed are range, generate_series, unnest, json_each, json_tree/,
    );
    assert.match(await message("SELECT json_each(attributes) FROM logs"), /write it in FROM/);
    assert.match(await message("SELECT repeat('x', 10001)"), /literal of at most 10000/);
    assert.match(await message("DELETE FROM logs"), /only one reading statement/);
    assert.match(await message("SELECT 1; SELECT 2"), /one at a time/);
    assert.match(await message("SELECT 1::VARIANT"), /type VARIANT.*VARCHAR/);
  });

  test("an unknown name is not refused, and the nearest name is suggested", async () => {
    const fault = async (sql: string): Promise<string> =>
      gate(sql).then(
        () => assert.fail("admitted"),
        (error: Error) => (error instanceof SyntaxFault ? `${error.message} ${error.at}` : assert.fail(String(error))),
      );
    assert.equal(
      await fault("SELECT * FROM users"),
      'there is no table "users"; the tables are logs, metrics, traces 14',
    );
    assert.equal(await fault("SELECT * FROM logz"), 'there is no table "logz"; did you mean logs? 14');
    assert.equal(await fault("SELECT cout(*) FROM logs"), "there is no function cout; did you mean count? 7");
    assert.match(await fault("SELECT no_such(1)"), /GET \/v1\/query\/schema/);
  });

  test("limits: one below, one above", async () => {
    assert.ok((await gate("SELECT repeat('x', 10000), lpad('x', 10000, 'y')")).sql);
    await assert.rejects(gate("SELECT repeat('x', -1)"), Refusal);
    await assert.rejects(gate("SELECT repeat('x', 1e4)"), Refusal);
    const nested = (levels: number): string => `SELECT ${"abs(".repeat(levels)}1${")".repeat(levels)}`;
    assert.ok((await gate(nested(90))).sql);
    await assert.rejects(gate(nested(250)), /levels of nesting/);
  });

  // Another version of the parser might write something new: nothing unknown may pass.
  const select = (change: object): object => ({
    node: {
      type: "SELECT_NODE",
      modifiers: [],
      cte_map: { map: [] },
      select_list: [{ class: "STAR", type: "STAR" }],
      from_table: { type: "EMPTY" },
      ...change,
    },
  });
  const unknown: readonly (readonly [string, object])[] = [
    ["a query node", { node: { type: "INSERT_NODE" } }],
    ["a member of a query", select({ into: { type: "EMPTY" } })],
    ["a table form", select({ from_table: { type: "DELIM_GET" } })],
    ["a member of a table", select({ from_table: { type: "EMPTY", files: ["x"] } })],
    ["a column data reference", select({ from_table: { type: "COLUMN_DATA" } })],
    ["an expression", select({ select_list: [{ class: "BOUND_CONSTANT", type: "VALUE_CONSTANT" }] })],
    ["an expression named as a property of objects", select({ select_list: [{ class: "constructor", type: "x" }] })],
    ["a member of an expression", select({ select_list: [{ class: "STAR", type: "STAR", from: { type: "EMPTY" } }] })],
    ["a modifier", select({ modifiers: [{ type: "INTO_MODIFIER" }] })],
    ["a table of a catalog", select({ from_table: { type: "BASE_TABLE", table_name: "logs", catalog_name: "other" } })],
    ["a table of a schema", select({ from_table: { type: "BASE_TABLE", table_name: "logs", schema_name: "other" } })],
    ["a list where a query was", { node: [] }],
    ["nothing", {}],
  ];
  for (const [name, statement] of unknown) {
    test(`refuses an unknown part: ${name}`, () => {
      assert.throws(() => walkStatement(statement, TABLES), Refusal);
    });
  }

  test("accepts the common part of those cases", () => {
    assert.deepEqual([...walkStatement(select({}), TABLES).tables], []);
  });
});
