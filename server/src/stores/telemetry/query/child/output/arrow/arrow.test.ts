import assert from "node:assert/strict";
import { test } from "node:test";
import { DataType, RecordBatchReader, tableFromIPC } from "apache-arrow";
import { typesStatement, written } from "../testing.ts";

async function arrow(sql: string): Promise<Buffer> {
  return Buffer.concat(await written(sql, "arrow"));
}

/** Returns the rows of a result as Arrow's library reads them, as JSON: 64-bit numbers as text, bytes in hexadecimal. */
async function rowsOf(sql: string): Promise<unknown[]> {
  const table = tableFromIPC(await arrow(sql));
  const plain = (_key: string, value: unknown): unknown => {
    if (typeof value === "bigint") return String(value);
    return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
  };
  return JSON.parse(JSON.stringify(table.toArray(), plain)) as unknown[];
}

test("each type has an Arrow type", async () => {
  const table = tableFromIPC(await arrow(typesStatement()));
  const types = Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, String(type)]));
  assert.deepEqual(types, {
    flag: "Bool",
    tiny: "Int8",
    small: "Int16",
    whole: "Int32",
    big: "Int64",
    utiny: "Uint8",
    usmall: "Uint16",
    uwhole: "Uint32",
    ubig: "Uint64",
    sum: "Decimal[38e0]",
    huge: "Decimal[38e0]",
    uhuge: "Decimal[38e0]",
    single: "Float32",
    double: "Float64",
    decimal: "Decimal[9e+3]",
    wide: "Decimal[38e+10]",
    text: "Utf8",
    empty: "Utf8",
    json: "Utf8",
    kind: "Utf8",
    uuid: "Utf8",
    bytes: "Binary",
    bits: "Utf8",
    day: "Date32<DAY>",
    time: "Time64<MICROSECOND>",
    zoned: "Utf8",
    seconds: "Timestamp<MILLISECOND>",
    millis: "Timestamp<MILLISECOND>",
    micros: "Timestamp<MICROSECOND>",
    nanos: "Timestamp<NANOSECOND>",
    instant: "Timestamp<MICROSECOND, UTC>",
    endless: "Timestamp<MICROSECOND, UTC>",
    list: "List<Int64>",
    lists: "List<List<Int64>>",
    array: "List<Int64>",
    struct: "Struct<{x:Int64, y:Struct<{z:Utf8, w:List<Bool>}>}>",
    map: "Map<{key:Utf8, value:Int64}>",
    structs: "List<Struct<{a:Int64, b:List<Utf8>}>>",
    maps: "Map<{key:Utf8, value:Map<{key:Utf8, value:List<Decimal[20e+1]>}>}>",
  });
  assert.equal(table.numRows, 6);
  for (const field of table.schema.fields) assert.equal(table.getChild(field.name)?.get(5), null, field.name);
});

test("values survive unchanged", async () => {
  assert.deepEqual(
    await rowsOf("SELECT -9223372036854775807 AS a, 'tëxt ☃' AS b, true AS c, 'ab'::BLOB AS d, NULL AS e"),
    [{ a: "-9223372036854775807", b: "tëxt ☃", c: true, d: "6162", e: null }],
  );
  assert.deepEqual(await rowsOf("SELECT [1, NULL, 3] AS l, {'x': {'y': ['z']}} AS s, map {'k': 1, 'l': NULL} AS m"), [
    { l: [1, null, 3], s: { x: { y: ["z"] } }, m: { k: 1, l: null } },
  ]);
  assert.deepEqual(await rowsOf("SELECT range AS n, nullif(range, 1) AS m FROM range(3)"), [
    { n: "0", m: "0" },
    { n: "1", m: null },
    { n: "2", m: "2" },
  ]);
});

test("decimals, times and intervals have the format's layout", async () => {
  const sql =
    "SELECT -1.5::DECIMAL(9, 3) AS d, TIMESTAMPTZ '2026-11-20 00:00:00.000001+00' AS t, INTERVAL '1 month 2 days 3 seconds' AS i";
  const [batch] = tableFromIPC(await arrow(sql)).batches;
  const bytes = (i: number): Buffer => {
    const { values } = batch?.data.children[i] ?? {};
    assert.ok(ArrayBuffer.isView(values));
    return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  };
  assert.equal(bytes(0).readBigInt64LE(0), -1500n);
  assert.equal(bytes(0).readBigInt64LE(8), -1n);
  assert.equal(bytes(1).readBigInt64LE(0), BigInt(Date.UTC(2026, 10, 20)) * 1000n + 1n);
  assert.deepEqual(
    [bytes(2).readInt32LE(0), bytes(2).readInt32LE(4), bytes(2).readBigInt64LE(8)],
    [1, 2, 3_000_000_000n],
  );
  assert.ok(DataType.isInterval(batch?.schema.fields[2]?.type));
});

test("many rows come in batches", async () => {
  const pieces = await written("SELECT range AS n, repeat('x', 100) AS x FROM range(50000)", "arrow");
  assert.ok(pieces.length > 4, "a batch is sent as soon as it is full");
  const table = tableFromIPC(Buffer.concat(pieces));
  assert.ok(table.batches.length > 3);
  const numbers = table.getChild("n")?.toArray() as BigInt64Array;
  assert.deepEqual(
    [...numbers].map(Number),
    Array.from({ length: 50_000 }, (_, i) => i),
  );
});

test("a result without rows has its columns", async () => {
  const table = tableFromIPC(await arrow("SELECT 1 AS a, ['x'] AS b WHERE false"));
  assert.deepEqual([table.numRows, table.schema.fields.map(({ name }) => name)], [0, ["a", "b"]]);
});

test("a stream that breaks off ends inside a message, at any point", async () => {
  const pieces = await written("SELECT range AS n, repeat('x', 100) AS x FROM range(50000)", "arrow");
  for (let count = 1; count < pieces.length; count++) {
    const cut = Buffer.concat(pieces.slice(0, count));
    assert.throws(() => {
      for (const _batch of RecordBatchReader.from(cut)) {
        // Reads to the end.
      }
    }, `after ${count} pieces`);
  }
});
