import { statSync } from "node:fs";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { COLUMNS } from "../columns.ts";
import type { CompactionJob, CompactionResult, CompactionStart, FromChild, ToChild } from "./protocol.ts";

/** The process that compacts: takes jobs from its parent, one at a time, and ends with it. */

const ROW_GROUP_ROWS = 122_880;

let connection: Promise<DuckDBConnection> | undefined;

process.on("disconnect", () => process.exit(0));
process.on("message", (message: ToChild) => {
  if ("start" in message) connection = connect(message.start);
  else void answer(message.job);
});

async function answer(job: CompactionJob): Promise<void> {
  reply(await attempt(job));
}

async function attempt(job: CompactionJob): Promise<FromChild> {
  try {
    if (connection === undefined) throw new Error("a job came before the settings");
    return { result: await compact(await connection, job) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function reply(message: FromChild): void {
  process.send?.(message);
}

async function connect(start: CompactionStart): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(start.threads),
    memory_limit: `${Math.floor(start.memoryBytes / 1_048_576)}MiB`,
    temp_directory: start.workDir,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    preserve_insertion_order: "false",
  });
  return instance.connect();
}

/** Reads the file back: what is counted is what queries will see. */
async function compact(duckdb: DuckDBConnection, job: CompactionJob): Promise<CompactionResult> {
  const columns = COLUMNS[job.type].map(({ name, type }) => `${literal(name)}: ${literal(type)}`).join(", ");
  const rows = `read_json([${job.inputs.map(literal).join(", ")}], format = 'newline_delimited', columns = {${columns}})`;
  const options = `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}`;
  await duckdb.run(`COPY (SELECT * FROM ${rows} ORDER BY "timestamp") TO ${literal(job.output)} (${options})`);
  const check = await duckdb.runAndReadAll(
    `SELECT count("timestamp")::DOUBLE, min(epoch_us("timestamp"))::DOUBLE, max(epoch_us("timestamp"))::DOUBLE
     FROM read_parquet(${literal(job.output)})`,
  );
  const [count, minUs, maxUs] = (check.getRows()[0] ?? []).map(Number);
  if (count === undefined || minUs === undefined || maxUs === undefined)
    throw new Error("the file could not be read back");
  return { rows: count, bytes: statSync(job.output).size, minUs, maxUs };
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
