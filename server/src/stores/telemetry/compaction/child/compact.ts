import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { UNPACKED_ATTRIBUTES } from "../../columns.ts";
import { STORED_COLUMNS } from "../../spool/tables.ts";
import type { CompactJob, MadeFile } from "../protocol.ts";
import { choosePromoted, SAMPLE_FILES_MAX, SAMPLE_ROWS, SAMPLE_ROW_BYTES_MAX, spread } from "./promote.ts";
import { hasAttributes, list, literal, storedColumns, withPromoted } from "./sql.ts";
import { cutByDay, GROUP_ROWS_MAX, writeParquet } from "./write.ts";

const GROUP_BYTES = 64 * 1024 * 1024;
const GROUP_ROWS_MIN = 2048;
/** The compression level. It gives the same size as the default level, in less time. These files are merged soon. */
const ZSTD_LEVEL = 1;
/** Sample size of all input files together. */
const SAMPLE_BYTES = 1024 * 1024;

/** Converts NDJSON to Parquet, sorted by time, with one file for each day if possible. */
export async function compact(duckdb: DuckDBConnection, job: CompactJob): Promise<MadeFile[]> {
  const columns = STORED_COLUMNS[job.type];
  const types = columns.map(({ name, type }) => `${literal(name)}: ${literal(type)}`).join(", ");
  const sampled = job.askedOnly === true ? [] : job.inputs;
  const promoted = hasAttributes(job.type) ? choosePromoted(await sample(sampled), job.asked) : [];
  // Sorted first, so that the sort carries fewer columns. Later steps keep the order.
  const unpacked = hasAttributes(job.type) ? `* REPLACE (${UNPACKED_ATTRIBUTES} AS "attributes")` : "*";
  const sorted = `(SELECT ${unpacked} FROM ${readJson(job.inputs, types)} ORDER BY "timestamp")`;
  const select = withPromoted(sorted, storedColumns(job.type), promoted, []);
  const output = { type: job.type, outputDir: job.outputDir, groupRows: groupRowsOf(job), level: ZSTD_LEVEL };
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

/**
 * Returns the attributes of some rows at the start of some files. DuckDB would read the whole files, which costs almost
 * as much as the compaction.
 */
async function sample(inputs: readonly string[]): Promise<string[]> {
  const files = spread(inputs, SAMPLE_FILES_MAX);
  const rowsOfEach = Math.ceil(SAMPLE_ROWS / files.length);
  const bytesOfEach = Math.ceil(SAMPLE_BYTES / files.length);
  const samples = await Promise.all(
    files.map(async (file) => (await firstLines(file, bytesOfEach)).slice(0, rowsOfEach)),
  );
  return samples.flat().flatMap(attributesOf);
}

/** Returns whole lines from the start of a file. */
async function firstLines(path: string, bytesMax: number): Promise<string[]> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytesMax), 0, bytesMax, 0);
    const read = buffer.subarray(0, bytesRead);
    return read
      .subarray(0, read.lastIndexOf("\n") + 1)
      .toString()
      .split("\n")
      .slice(0, -1);
  } finally {
    await file.close();
  }
}

function textOf(attributes: unknown): string {
  return typeof attributes === "string" ? attributes : JSON.stringify(attributes);
}

/**
 * Returns the attributes of a row as one text, empty if it has none. Returns no text for long attributes, or a row that
 * this parser refuses.
 */
function attributesOf(line: string): string[] {
  try {
    const { attributes } = JSON.parse(line) as { attributes?: unknown };
    const text = attributes === undefined || attributes === null ? "" : textOf(attributes);
    return text.length <= SAMPLE_ROW_BYTES_MAX ? [text] : [];
  } catch {
    return [];
  }
}
