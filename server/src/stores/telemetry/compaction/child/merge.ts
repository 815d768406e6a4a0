import type { DuckDBConnection } from "@duckdb/node-api";
import { COLUMNS } from "../../columns.ts";
import type { MadeFile, MergeInput, MergeJob } from "../protocol.ts";
import { choosePromoted, SAMPLE_FILES_MAX, SAMPLE_ROWS, SAMPLE_ROW_BYTES_MAX, spread } from "./promote.ts";
import { hasAttributes, list, literal, withPromoted } from "./sql.ts";
import { cutByDay, writeParquet } from "./write.ts";

/**
 * Makes one file of several. Where their times do not overlap they are read one after the other, without a sort; else the rows are
 * sorted, on disk when they are many.
 */
export async function merge(duckdb: DuckDBConnection, job: MergeJob): Promise<MadeFile[]> {
  const inputs = job.inputs.toSorted((a, b) => a.minUs - b.minUs);
  const promoted = hasAttributes(job.type) ? choosePromoted(await sample(duckdb, inputs), job.asked) : [];
  const select = isInOrder(inputs) ? concatenated(job, inputs, promoted) : sorted(job, inputs, promoted);
  const rows = inputs.reduce((sum, input) => sum + input.rows, 0);
  const file = await writeParquet(duckdb, { ...job, select, rows, name: "all", promoted });
  return file.bytes < job.cutBytes ? [file] : cutByDay(duckdb, job, file);
}

/** Times at the cut of `MergeInput` are equal without being so, and count as overlapping. */
function isInOrder(inputs: readonly MergeInput[]): boolean {
  return inputs.every((input, index) => index === 0 || input.minUs > (inputs[index - 1]?.maxUs ?? Infinity));
}

function concatenated(job: MergeJob, inputs: readonly MergeInput[], promoted: readonly string[]): string {
  return inputs.map((input) => rowsOf(job, [input], promoted)).join(" UNION ALL ");
}

function sorted(job: MergeJob, inputs: readonly MergeInput[], promoted: readonly string[]): string {
  const alike = Map.groupBy(inputs, (input) => JSON.stringify(input.promoted.toSorted()));
  const parts = [...alike.values()].map((group) => rowsOf(job, group, promoted));
  return `SELECT * FROM (${parts.join(" UNION ALL ")}) ORDER BY "timestamp"`;
}

/** Rows of files that have the same attributes promoted. */
function rowsOf(job: MergeJob, inputs: readonly MergeInput[], promoted: readonly string[]): string {
  const source = `read_parquet(${list(inputs.map(({ path }) => path))}, hive_partitioning = false, union_by_name = true)`;
  const columns = COLUMNS[job.type].map(({ name }) => `"${name}"`).join(", ");
  return withPromoted(source, columns, promoted, inputs[0]?.promoted ?? []);
}

async function sample(duckdb: DuckDBConnection, inputs: readonly MergeInput[]): Promise<string[]> {
  const files = spread(inputs, SAMPLE_FILES_MAX);
  const attributes: string[] = [];
  for (const { path } of files) {
    const source = `read_parquet(${literal(path)}, hive_partitioning = false)`;
    const found = await duckdb.runAndReadAll(
      `SELECT attributes::VARCHAR FROM (SELECT attributes FROM ${source} LIMIT ${Math.ceil(SAMPLE_ROWS / files.length)})
       WHERE coalesce(strlen(attributes), 0) <= ${SAMPLE_ROW_BYTES_MAX}`,
    );
    attributes.push(...found.getRows().map(([text]) => (typeof text === "string" ? text : "")));
  }
  return attributes;
}
