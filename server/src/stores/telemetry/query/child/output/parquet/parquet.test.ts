import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { TYPES, typesStatement, written } from "../testing.ts";

/** Returns what DuckDB reads from our Parquet file, as text. */
async function readBack(t: TestContext, file: Buffer, sql: string): Promise<unknown[][]> {
  const directory = await mkdtemp(join(tmpdir(), "mooring-parquet-"));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, "result.parquet");
  await writeFile(path, file);
  return answers(sql.replaceAll("FILE", `read_parquet('${path}')`));
}

async function answers(sql: string): Promise<unknown[][]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    return (await connection.runAndReadAll(sql)).getRows();
  } finally {
    connection.closeSync();
  }
}

async function parquet(sql: string): Promise<Buffer> {
  return Buffer.concat(await written(sql, "parquet"));
}

test("values of every type survive unchanged", async (t) => {
  const file = await parquet(typesStatement());
  const names = Object.keys(TYPES).map((name) => `"${name}"::VARCHAR`);
  const read = await readBack(t, file, `SELECT ${names.join(", ")} FROM FILE`);
  const meant = await answers(`SELECT ${names.join(", ")} FROM (${typesStatement()})`);
  Object.keys(TYPES).forEach((name, i) => {
    assert.deepEqual(
      read.map((row) => row[i]),
      meant.map((row) => row[i]),
      name,
    );
  });
});

test("types that Parquet has survive unchanged", async (t) => {
  const read = await readBack(t, await parquet(typesStatement()), "DESCRIBE SELECT * FROM FILE");
  const meant = await answers(`DESCRIBE ${typesStatement()}`);
  const others: Record<string, string> = {
    sum: "DECIMAL(38,0)",
    huge: "DECIMAL(38,0)",
    uhuge: "DECIMAL(38,0)",
    json: "VARCHAR",
    kind: "VARCHAR",
    uuid: "VARCHAR",
    bits: "VARCHAR",
    zoned: "VARCHAR",
    seconds: "TIMESTAMP",
    millis: "TIMESTAMP",
    array: "BIGINT[]",
  };
  for (const [i, [name, type]] of meant.entries()) {
    assert.deepEqual(read[i]?.slice(0, 2), [name, others[String(name)] ?? type]);
  }
});

test("an interval is text, because Parquet's has no microseconds", async (t) => {
  const file = await parquet("SELECT INTERVAL '1 month 2 days 3.000004 seconds' AS i");
  assert.deepEqual(await readBack(t, file, "SELECT i, typeof(i) FROM FILE"), [
    ["1 month 2 days 00:00:03.000004", "VARCHAR"],
  ]);
});

test("many rows come in groups, with NULLs anywhere", async (t) => {
  const sql = `SELECT i, CASE WHEN i % 7 > 0 THEN 'text ' || i END AS s, CASE WHEN i % 3 > 0 THEN range(i % 5) END AS l,
    CASE WHEN i % 11 > 0 THEN {'a': i, 'b': CASE WHEN i % 2 = 0 THEN map {'x': i} END} END AS st, i % 3 = 0 AS b, repeat('x', 200) AS x FROM range(90000) t(i)`;
  const pieces = await written(sql, "parquet");
  assert.ok(pieces.length > 3, "a row group is sent as soon as it is full");
  const read = await readBack(
    t,
    Buffer.concat(pieces),
    "SELECT md5(string_agg(t::VARCHAR, '|' ORDER BY i)), count(*) FROM FILE t",
  );
  assert.deepEqual(read, await answers(`SELECT md5(string_agg(t::VARCHAR, '|' ORDER BY i)), count(*) FROM (${sql}) t`));
});

test("a result without rows is a file with columns", async (t) => {
  const read = await readBack(t, await parquet("SELECT 1 AS a, ['x'] AS b WHERE false"), "DESCRIBE SELECT * FROM FILE");
  assert.deepEqual(
    read.map((row) => row.slice(0, 2)),
    [
      ["a", "INTEGER"],
      ["b", "VARCHAR[]"],
    ],
  );
});

test("an unsupported type is refused with a message", async () => {
  await assert.rejects(parquet("SELECT row(1, 2) AS r"), /name them/);
  await assert.rejects(parquet("SELECT 170141183460469231731687303715884105727::HUGEINT AS h"), /more than 38 digits/);
});
