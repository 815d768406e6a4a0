import assert from "node:assert/strict";
import { test } from "node:test";
import { ResultReader, type ResultRow } from "./stream-lines.ts";

const ANSWER =
  '{"columns":[{"name":"a","type":"VARCHAR"}],"rows":[\n{"a":"x,"},\n{"a":"]"}\n],"row_count":2,"truncated":true,' +
  '"statistics":{"elapsed_ms":8.1,"rows_scanned":5,"bytes_scanned":9,"files_scanned":1,"files_total":2}}\n';

function read(answer: string, size: number): { reader: ResultReader; rows: ResultRow[] } {
  const reader = new ResultReader();
  const rows: ResultRow[] = [];
  for (let at = 0; at < answer.length; at += size) rows.push(...reader.push(answer.slice(at, at + size)));
  return { reader, rows };
}

test("the chunks of the stream do not change columns, rows and figures", () => {
  for (const size of [1, 2, 7, 64, 10_000]) {
    const { reader, rows } = read(ANSWER, size);
    assert.deepEqual(reader.columns, [{ name: "a", type: "VARCHAR" }]);
    assert.deepEqual(rows, [{ a: "x," }, { a: "]" }]);
    assert.equal(reader.end?.truncated, true);
    assert.equal(reader.end?.statistics.bytes_scanned, 9);
  }
});

test("a value with a line break stays one value", () => {
  const { rows, reader } = read(ANSWER.replace('{"a":"x,"}', '{"a":{"b":\n1,\n"c":2}}'), 3);
  assert.deepEqual(rows, [{ a: { b: 1, c: 2 } }, { a: "]" }]);
  assert.equal(reader.end?.row_count, 2);
});

test("an answer may have no rows, or an error after the first rows", () => {
  const none = read(ANSWER.replace('{"a":"x,"},\n{"a":"]"}\n', ""), 5);
  assert.deepEqual(none.rows, []);
  assert.equal(none.reader.end?.row_count, 2);
  const broken = read(ANSWER.replace("}}\n", '},"error":{"code":"query_timeout","detail":"late"}}\n'), 5);
  assert.equal(broken.reader.end?.error?.code, "query_timeout");
});

test("an incomplete answer has no end line", () => {
  assert.equal(read(ANSWER.slice(0, 60), 5).reader.end, null);
});
