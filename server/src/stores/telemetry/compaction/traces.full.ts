import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { batchOf } from "../testing/rows.ts";
import { openTestStore, temporaryDirectory } from "../testing/store.ts";
import { CompactionProcess } from "./process.ts";

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

test("files of traces have a bloom filter on trace_id after compaction and after merging", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  for (let file = 0; file < 8; file++) {
    const spans = Array.from({ length: 500 }, (_, n) => span(file * 500 + n, 1));
    await rows.append(batchOf("traces", spans));
    await rows.compact();
  }
  const paths = async (): Promise<string[]> => {
    const { tables, release } = await rows.snapshot("org_a");
    release();
    return tables.traces.parquet.map(({ path }) => path);
  };
  for (const path of await paths()) assert.equal((await filtersOf(path))[0]?.filters, 1);
  await rows.merge();
  const merged = await paths();
  assert.equal(merged.length, 1);
  assert.equal((await filtersOf(merged[0] ?? ""))[0]?.filters, 1);
  await close();
});

for (const [spansPerTrace, filteredSpans] of [
  [10, false],
  [2, false],
  [1, true],
] as const) {
  test(`in a large file of traces with ${spansPerTrace} spans each, every row group has its filter`, async () => {
    await using dir = await temporaryDirectory();
    const input = join(dir.path, "spans.ndjson");
    const lines = Array.from({ length: 150_000 }, (_, n) => JSON.stringify(span(n, spansPerTrace)));
    await writeFile(input, lines.map((line) => `${line}\n`).join(""));
    const outputDir = join(dir.path, "out");
    await mkdir(outputDir);
    const limits = { memoryBytes: 256 * 1024 * 1024, threads: 1, timeoutMs: 60_000, idleMs: 10_000 };
    const runner = new CompactionProcess({ workDir: dir.path, ...limits });
    const job = { kind: "compact", type: "traces", inputs: [input], rows: 150_000, outputDir, asked: [] } as const;
    const [made, ...more] = await runner.run(job);
    await runner.close();
    assert.ok(made !== undefined && more.length === 0);
    const [traces, spans] = await filtersOf(made.path);
    assert.ok(traces !== undefined && traces.groups > 1);
    assert.equal(traces.filters, traces.groups);
    // A dictionary of unique values costs space. It can't be avoided only where every trace has one span.
    assert.equal((spans?.filters ?? 0) > 1, filteredSpans);
  });
}
