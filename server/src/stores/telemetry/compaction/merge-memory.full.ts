import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { DuckDBInstance } from "@duckdb/node-api";
import { COLUMNS } from "../columns.ts";
import { readParquet, temporaryDirectory } from "../testing/store.ts";
import { CompactionProcess } from "./process.ts";
import type { MergeInput } from "./protocol.ts";

const FILES = 4;
const ROWS = 60_000;
const US_PER_ROW = 1000;

/** Makes files whose times overlap: each has every `FILES`th row of about the same hour. */
async function makeInputs(dir: string): Promise<MergeInput[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const inputs: MergeInput[] = [];
  for (let file = 0; file < FILES; file++) {
    const values = COLUMNS.logs.map(({ name, type }) => {
      if (name === "timestamp") return `make_timestamptz((n * ${FILES} + ${file}) * ${US_PER_ROW}) AS "timestamp"`;
      if (name === "message") return `(n * ${FILES} + ${file}) || repeat(md5(n::VARCHAR), 20) AS message`;
      return `NULL::${type} AS "${name}"`;
    });
    const path = join(dir, `${file}.parquet`);
    await connection.run(
      `COPY (SELECT ${values.join(", ")} FROM range(${ROWS}) t(n)) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 10000)`,
    );
    const minUs = file * US_PER_ROW;
    inputs.push({ path, rows: ROWS, minUs, maxUs: minUs + (ROWS - 1) * FILES * US_PER_ROW, promoted: [] });
  }
  connection.closeSync();
  instance.closeSync();
  return inputs;
}

test("rows that do not fit in memory are merged in parts, in order", async () => {
  await using dir = await temporaryDirectory();
  const inputs = await makeInputs(dir.path);
  const outputDir = join(dir.path, "out");
  await mkdir(outputDir);
  const limits = { memoryBytes: 64 * 1024 * 1024, threads: 1, timeoutMs: 60_000, idleMs: 10_000 };
  const runner = new CompactionProcess({ workDir: dir.path, ...limits });
  const job = { kind: "merge", type: "logs", inputs, outputDir, asked: [], cutBytes: Infinity } as const;
  const [made, ...more] = await runner.run(job);
  await runner.close();
  assert.ok(made !== undefined && more.length === 0);
  assert.equal(made.rows, FILES * ROWS);
  const [found] = await readParquet(
    [made],
    `count(*)::INTEGER AS rows, count(DISTINCT message)::INTEGER AS messages,
     bool_and(epoch_us("timestamp") = file_row_number * ${US_PER_ROW}) AS ordered`,
  );
  assert.deepEqual(found, { rows: FILES * ROWS, messages: FILES * ROWS, ordered: true });
});
