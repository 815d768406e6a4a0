import { statSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { COLUMNS } from "../../columns.ts";
import type { CompactJob, MadeFile } from "../protocol.ts";
import { choosePromoted, SAMPLE_FILES_MAX, SAMPLE_ROWS, SAMPLE_ROW_BYTES_MAX, spread } from "./promote.ts";
import { hasAttributes, list, literal, withPromoted } from "./sql.ts";
import { cutByDay, GROUP_ROWS_MAX, writeParquet } from "./write.ts";

const GROUP_BYTES = 64 * 1024 * 1024;
const GROUP_ROWS_MIN = 2048;

/** Makes Parquet of NDJSON: sorted by time, a file for each day where that is possible. */
export async function compact(duckdb: DuckDBConnection, job: CompactJob): Promise<MadeFile[]> {
  const columns = COLUMNS[job.type];
  const types = columns.map(({ name, type }) => `${literal(name)}: ${literal(type)}`).join(", ");
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  const promoted = hasAttributes(job.type) ? choosePromoted(await sample(duckdb, job.inputs), job.asked) : [];
  // Sorted first, so that the sort carries fewer columns; what follows keeps the order.
  const sorted = `(SELECT * FROM ${readJson(job.inputs, types)} ORDER BY "timestamp")`;
  const select = withPromoted(sorted, names, promoted, []);
  const output = { type: job.type, outputDir: job.outputDir, groupRows: groupRowsOf(job) };
  const file = await writeParquet(duckdb, { ...output, select, rows: job.rows, name: "all", promoted });
  return cutByDay(duckdb, output, file);
}

function groupRowsOf({ inputs, rows }: CompactJob): number {
  const bytes = inputs.reduce((sum, path) => sum + statSync(path).size, 0);
  return Math.max(GROUP_ROWS_MIN, Math.min(GROUP_ROWS_MAX, Math.floor((GROUP_BYTES * rows) / Math.max(1, bytes))));
}

function readJson(inputs: readonly string[], types: string): string {
  return `read_json(${list(inputs)}, format = 'newline_delimited', columns = {${types}})`;
}

async function sample(duckdb: DuckDBConnection, inputs: readonly string[]): Promise<string[]> {
  const files = spread(inputs, SAMPLE_FILES_MAX);
  const attributes: string[] = [];
  for (const file of files) {
    const source = readJson([file], "'attributes': 'JSON'");
    const found = await duckdb.runAndReadAll(
      `SELECT attributes::VARCHAR FROM (SELECT attributes FROM ${source} LIMIT ${Math.ceil(SAMPLE_ROWS / files.length)})
       WHERE coalesce(strlen(attributes), 0) <= ${SAMPLE_ROW_BYTES_MAX}`,
    );
    attributes.push(...found.getRows().map(([text]) => (typeof text === "string" ? text : "")));
  }
  return attributes;
}
