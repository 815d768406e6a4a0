import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { MadeFile, MergeInput, MergeJob } from "../protocol.ts";
import { choosePromoted, SAMPLE_FILES_MAX, SAMPLE_ROWS, SAMPLE_ROW_BYTES_MAX, spread } from "./promote.ts";
import { hasAttributes, list, literal, storedColumns, withPromoted } from "./sql.ts";
import { cutByDay, GROUP_ROWS_MAX, writeParquet, type Written } from "./write.ts";

/** How often a merge that ran out of memory is retried in smaller pieces, and how much smaller. */
const RETRIES_MAX = 3;
const SHRINK_FACTOR = 8;

/**
 * Merges files into one. Files whose times do not overlap are read one after the other without a sort. Otherwise the
 * rows are sorted, on disk when there are many.
 */
export async function merge(duckdb: DuckDBConnection, job: MergeJob): Promise<MadeFile[]> {
  const inputs = job.inputs.toSorted((a, b) => a.minUs - b.minUs);
  const promoted = hasAttributes(job.type) ? choosePromoted(await sample(duckdb, inputs), job.asked) : [];
  const rows = inputs.reduce((sum, input) => sum + input.rows, 0);
  const select = isInOrder(inputs) ? concatenated(job, inputs, promoted) : unsorted(job, inputs, promoted);
  const write = isInOrder(inputs) ? inOrder : sorted;
  for (let retry = 0; ; retry++) {
    const parts = SHRINK_FACTOR ** retry;
    const groupRows = Math.floor(GROUP_ROWS_MAX / parts);
    try {
      const output = { type: job.type, outputDir: job.outputDir, groupRows };
      const file = await write(duckdb, { ...output, name: "all", rows, promoted, select }, parts);
      return file.bytes < job.cutBytes ? [file] : await cutByDay(duckdb, output, file);
    } catch (error) {
      if (retry === RETRIES_MAX || !(error instanceof Error) || !/^Out of Memory/i.test(error.message)) throw error;
    }
  }
}

/** Writes rows in the order in which they are read. */
async function inOrder(duckdb: DuckDBConnection, written: Written): Promise<MadeFile> {
  await duckdb.run("SET preserve_insertion_order = true");
  return writeParquet(duckdb, written);
}

/** Writes rows in the order of time. With several parts, it sorts one time range after the other. */
async function sorted(duckdb: DuckDBConnection, written: Written, parts: number): Promise<MadeFile> {
  await duckdb.run("SET preserve_insertion_order = false");
  if (parts === 1) return writeParquet(duckdb, { ...written, select: `${written.select} ORDER BY "timestamp"` });
  const paths = await sortParts(duckdb, written, parts);
  const select = `SELECT * FROM read_parquet(${list(paths)}, hive_partitioning = false)`;
  return inOrder(duckdb, { ...written, select });
}

/** Writes sorted files for consecutive time ranges into the folder of the job, which is removed afterwards. */
async function sortParts(duckdb: DuckDBConnection, written: Written, parts: number): Promise<string[]> {
  const shares = Array.from({ length: parts - 1 }, (_, i) => (i + 1) / parts);
  const found = await duckdb.runAndReadAll(
    `SELECT DISTINCT unnest(approx_quantile(epoch_us("timestamp"), [${shares.join(", ")}])) AS us FROM (${written.select}) ORDER BY us`,
  );
  const bounds = found.getRows().map(([us]) => `make_timestamptz(${BigInt(String(us))})`);
  const paths: string[] = [];
  for (let part = 0; part <= bounds.length; part++) {
    const from = part === 0 ? [] : [`"timestamp" >= ${bounds[part - 1]}`];
    const to = part === bounds.length ? [] : [`"timestamp" < ${bounds[part]}`];
    const path = join(written.outputDir, `part-${part}.parquet`);
    const select = `SELECT * FROM (${written.select}) WHERE ${[...from, ...to].join(" AND ")} ORDER BY "timestamp"`;
    await duckdb.run(
      `COPY (${select}) TO ${literal(path)} (FORMAT parquet, COMPRESSION lz4, ROW_GROUP_SIZE ${written.groupRows ?? GROUP_ROWS_MAX})`,
    );
    paths.push(path);
  }
  return paths;
}

/**
 * Returns whether the inputs do not overlap. Times beyond the bounds of `MergeInput` are cut to equal values, and count
 * as overlapping.
 */
function isInOrder(inputs: readonly MergeInput[]): boolean {
  return inputs.every((input, index) => index === 0 || input.minUs > (inputs[index - 1]?.maxUs ?? Infinity));
}

function concatenated(job: MergeJob, inputs: readonly MergeInput[], promoted: readonly string[]): string {
  return inputs.map((input) => rowsOf(job, [input], promoted)).join(" UNION ALL ");
}

function unsorted(job: MergeJob, inputs: readonly MergeInput[], promoted: readonly string[]): string {
  const alike = Map.groupBy(inputs, (input) => JSON.stringify(input.promoted.toSorted()));
  const parts = [...alike.values()].map((group) => rowsOf(job, group, promoted));
  return `SELECT * FROM (${parts.join(" UNION ALL ")})`;
}

/** Selects the rows of files that have the same promoted attributes. */
function rowsOf(job: MergeJob, inputs: readonly MergeInput[], promoted: readonly string[]): string {
  const source = `read_parquet(${list(inputs.map(({ path }) => path))}, hive_partitioning = false, union_by_name = true)`;
  return withPromoted(source, storedColumns(job.type), promoted, inputs[0]?.promoted ?? []);
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
