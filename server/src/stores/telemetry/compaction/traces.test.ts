import assert from "node:assert/strict";
import { test } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { batchOf } from "../testing/rows.ts";
import { openTestStore, temporaryDirectory } from "../testing/store.ts";

const span = (n: number, spansPerTrace: number) => ({
  timestamp: new Date(Date.UTC(2026, 10, 20) + n).toISOString(),
  trace_id: `trace ${Math.floor(n / spansPerTrace)}`,
  span_id: `span ${n}`,
  name: "op",
  status: "ok",
  duration_ms: n,
});

async function filtersOf(path: string): Promise<{ column: string; groups: number; filters: number }[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const found = await connection.runAndReadAll(
      `SELECT path_in_schema, count(*)::INTEGER, count(bloom_filter_offset)::INTEGER FROM parquet_metadata('${path}')
       WHERE path_in_schema IN ('trace_id', 'span_id') GROUP BY 1 ORDER BY 1 DESC`,
    );
    return found.getRows().map(([column, groups, filters]) => ({
      column: String(column),
      groups: Number(groups),
      filters: Number(filters),
    }));
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

for (const [spansPerTrace, filteredSpans] of [
  [10, 0],
  [2, 0],
  [1, 1],
] as const) {
  test(`files of traces with ${spansPerTrace} spans each have a bloom filter on trace_id`, async () => {
    await using dir = await temporaryDirectory();
    const { rows, close } = await openTestStore(dir.path);
    const spans = Array.from({ length: 20_000 }, (_, n) => span(n, spansPerTrace));
    for (let file = 0; file < 8; file++) {
      await rows.append(batchOf("traces", spans.slice(file * 2500, (file + 1) * 2500)));
      await rows.compact();
    }
    const only = async (): Promise<string[]> => {
      const { tables, release } = await rows.snapshot("org_a");
      release();
      return tables.traces.parquet.map(({ path }) => path);
    };
    for (const path of await only()) assert.equal((await filtersOf(path))[0]?.filters, 1);
    await rows.merge();
    const [merged = "", ...more] = await only();
    assert.equal(more.length, 0);
    const [traces, ids] = await filtersOf(merged);
    assert.deepEqual(traces, { column: "trace_id", groups: 1, filters: 1 });
    // A dictionary of what never repeats only costs room; where every trace has one span, it can't be avoided.
    assert.equal(ids?.filters, filteredSpans);
    await close();
  });
}
