import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { FloorPlan } from "./floor.ts";

const COLUMNS = ["level", "message", "service", "trace_id", "span_id"].map((name) => `${name}: 'VARCHAR'`).join(", ");

process.once("message", (message) => {
  run(message as FloorPlan).then(
    (elapsedMs) => process.send?.(elapsedMs),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});

async function run({ input, outputDir }: FloorPlan): Promise<number> {
  mkdirSync(outputDir);
  const instance = await DuckDBInstance.create(":memory:", {
    threads: "2",
    memory_limit: "4GiB",
    temp_directory: outputDir,
  });
  const connection = await instance.connect();
  const started = performance.now();
  const rows = `read_json('${input}', format = 'newline_delimited', columns = {timestamp: 'TIMESTAMPTZ', ${COLUMNS}, attributes: 'JSON'})`;
  await connection.run(
    `COPY (FROM ${rows} ORDER BY timestamp) TO '${join(outputDir, "logs.parquet")}' (FORMAT parquet, COMPRESSION zstd)`,
  );
  return performance.now() - started;
}
