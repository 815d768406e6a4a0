import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { COLUMNS, type TelemetryType } from "../columns.ts";
import { rowsOf } from "../testing/retention.ts";
import { temporaryDirectory } from "../testing/store.ts";
import { predicateSql, type ErasureMatch } from "./predicate.ts";

/** Texts that careless SQL or paths would misread. */
const ODD =
  `plain|it's|"quoted"|a.b|a/b|a~1b|/a|~|$.x|$|$.*|| |*|[0]|0|-1|Grüße 🚢|nul\0l|\0|a\\b|\\|--|/* x */|'; DROP TABLE rows; --|''|null|%|_|a\nb`.split(
    "|",
  );

const pointer = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** Each text makes one row, and each way to match must find only this row. */
const CASES: Readonly<
  Record<TelemetryType, { row: (text: string) => object; matches: readonly ((text: string) => ErasureMatch)[] }>
> = {
  logs: {
    row: (text) => ({
      project_id: `p${text}`,
      message: text,
      service: `s${text}`,
      trace_id: `t${text}`,
      level: `l${text}`,
      attributes: { [text]: "same", [`x${text}`]: { inner: "deep" }, list: ["first", text] },
    }),
    matches: [
      (text) => ({ project_id: `p${text}` }),
      (text) => ({ message: text }),
      (text) => ({ service: `s${text}`, level: `l${text}`, trace_id: `t${text}` }),
      (text) => ({ attributes: { [text.startsWith("/") ? pointer(text) : text]: "same" } }),
      (text) => ({ attributes: { [`${pointer(`x${text}`)}/inner`]: "deep" } }),
      (text) => ({ attributes: { "/list/1": text, "/list/0": "first" } }),
    ],
  },
  metrics: {
    row: (text) => ({ project_id: `p${text}`, name: text, value: 1, tags: { [text]: "same", other: text } }),
    matches: [
      (text) => ({ project_id: `p${text}` }),
      (text) => ({ name: text }),
      (text) => ({ tags: { [text]: "same" } }),
      (text) => ({ tags: { other: text } }),
    ],
  },
  traces: {
    row: (text) => ({ name: `n${text}`, trace_id: text, service: text, attributes: { a: text } }),
    matches: [(text) => ({ name: `n${text}`, service: text }), (text) => ({ trace_id: text, attributes: { a: text } })],
  },
};

for (const type of ["logs", "metrics", "traces"] as const) {
  test(`each way of matching ${type} finds the one row that is equal, with any characters`, async () => {
    await using dir = await temporaryDirectory();
    const path = join(dir.path, "rows.ndjson");
    const { row, matches } = CASES[type];
    const bare = {}; // A row without the matched members: every condition must be false, not unknown.
    await writeFile(path, rowsOf("org_a", type, [...ODD.map(row), bare]).rows);
    const instance = await DuckDBInstance.create(":memory:");
    const duckdb = await instance.connect();
    const columns = COLUMNS[type].map(({ name, type: of }) => `${name}: '${of}'`).join(", ");
    await duckdb.run(
      `CREATE TABLE rows AS SELECT * FROM read_json('${path}', format = 'newline_delimited', columns = {${columns}})`,
    );
    for (const [which, matchOf] of matches.entries()) {
      for (const text of ODD) {
        const match = matchOf(text);
        const condition = predicateSql(type, { fromUs: null, toUs: null, match });
        const found = await duckdb.runAndReadAll(
          `SELECT (SELECT count(*) FROM rows WHERE ${condition})::INTEGER, (SELECT count(*) FROM rows WHERE NOT ${condition})::INTEGER`,
        );
        const expected = [1, ODD.length];
        assert.deepEqual(found.getRows()[0], expected, `${which}: ${JSON.stringify(match)} as ${condition}`);
      }
    }
    duckdb.closeSync();
    instance.closeSync();
  });
}

test("an empty condition, or one for a member that rows of the type lack, is an error, because it would erase too much", () => {
  const sqlOf = (type: TelemetryType, match: ErasureMatch) => () =>
    predicateSql(type, { fromUs: null, toUs: null, match });
  assert.throws(sqlOf("metrics", { level: "info", name: "n" }), /can't be matched by level/);
  assert.throws(sqlOf("logs", { tags: { a: "b" } }), /can't be matched by tags/);
  assert.throws(sqlOf("logs", {}), /must match at least one value/);
  assert.throws(sqlOf("logs", { attributes: {} }), /must match at least one value/);
  const fromUs = Number.MAX_SAFE_INTEGER + 1;
  assert.throws(() => predicateSql("logs", { fromUs, toUs: null, match: { level: "l" } }), /whole number/);
});
