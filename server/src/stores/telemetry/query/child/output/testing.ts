import { DuckDBInstance } from "@duckdb/node-api";
import type { ResultFormat } from "../../../types.ts";
import { columnsOf, distinctNames, makeWriter } from "./index.ts";

/** The result of a statement in a format, with the pieces as the writer gave them. */
export async function written(sql: string, format: ResultFormat): Promise<Buffer[]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    const result = await (await connection.prepare(sql)).stream();
    const names = distinctNames(result.columnNames());
    const writer = makeWriter(
      format,
      names.map((name, i) => ({ name, type: result.columnType(i) })),
    );
    const pieces = [Buffer.from(writer.head())];
    let rows = 0;
    for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      const vectors = columnsOf(chunk);
      for (let i = 0; i < chunk.rowCount; i++) pieces.push(Buffer.from(writer.row(vectors, i, rows++ === 0)));
    }
    pieces.push(Buffer.from(writer.tail({ rows, truncated: false, elapsedMs: 0 }) ?? ""));
    return pieces.filter((piece) => piece.length > 0);
  } finally {
    connection.closeSync();
  }
}

/** A value of each type, and NULL of each: `[expression, how Parquet's reader gives the column, in SQL over the expression]`. */
export const TYPES: Readonly<Record<string, string>> = {
  flag: "i % 2 = 0",
  tiny: "(i - 3)::TINYINT",
  small: "(i * -1000)::SMALLINT",
  whole: "(i * 100000)::INTEGER",
  big: "-9223372036854775807 + i",
  utiny: "(255 - i)::UTINYINT",
  usmall: "(65535 - i)::USMALLINT",
  uwhole: "(4294967295 - i)::UINTEGER",
  ubig: "18446744073709551615::UBIGINT - i::UBIGINT",
  sum: "sum(i * 1000000000000000) OVER ()",
  huge: "99999999999999999999999999999999999999::HUGEINT - i",
  uhuge: "i::UHUGEINT",
  single: "(i / 3)::FLOAT",
  double: "i / 3.0::DOUBLE",
  decimal: "(-i / 7)::DECIMAL(9, 3)",
  wide: "(i / 7)::DECIMAL(38, 10)",
  text: "'tëxt ☃ ' || i",
  empty: "''",
  json: "('{\"a\": ' || i || '}')::JSON",
  kind: "(CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END)::ENUM('even', 'odd')",
  uuid: "'f47ac10b-58cc-4372-a567-0e02b2c3d479'::UUID",
  bytes: "'\\x00\\xFFab'::BLOB",
  bits: "'10101'::BIT",
  day: "DATE '1969-12-30' + i::INTEGER",
  time: "TIME '23:59:59.999999'",
  zoned: "'12:00:00+01'::TIMETZ",
  seconds: "TIMESTAMP_S '1926-01-01 00:00:01'",
  millis: "TIMESTAMP_MS '2026-01-01 00:00:01.5'",
  micros: "TIMESTAMP '2026-01-01 00:00:01.123456'",
  nanos: "TIMESTAMP_NS '2026-01-01 00:00:01.123456789'",
  instant: "TIMESTAMPTZ '2026-11-20 08:00:00.000001+00' + INTERVAL (i) HOUR",
  endless: "'infinity'::TIMESTAMPTZ",
  list: "CASE WHEN i = 1 THEN [] WHEN i = 2 THEN NULL ELSE [i, NULL, i + 1] END",
  lists: "[[i], [], NULL, [NULL, 2]]",
  array: "[i, 2]::BIGINT[2]",
  struct: "{'x': i, 'y': {'z': 'q', 'w': [true, NULL]}}",
  map: "CASE WHEN i = 3 THEN map {} ELSE map {'k': i, 'l': NULL} END",
  structs: "[{'a': i, 'b': ['x']}, NULL, {'a': NULL, 'b': NULL}]",
  maps: "map {'m': map {'n': [1.5, i]}}",
};

/** Six rows of every type: five with values, one of NULLs only. */
export function typesStatement(): string {
  const values = Object.entries(TYPES).map(([name, expression]) => `${expression} AS "${name}"`);
  const nulls = Object.keys(TYPES).map(() => "NULL");
  return `SELECT * FROM (SELECT ${values.join(", ")} FROM range(5) t(i)) UNION ALL SELECT ${nulls.join(", ")}`;
}
