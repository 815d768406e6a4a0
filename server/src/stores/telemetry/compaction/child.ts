import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { compact } from "./child/compact.ts";
import { erase } from "./child/erase.ts";
import { merge } from "./child/merge.ts";
import type { CompactionJob, CompactionStart, FromChild, MadeFile, ToChild } from "./protocol.ts";

/** The process that writes Parquet. It takes one job at a time from its parent, and ends with it. */

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
    if (connection === undefined) throw new Error("a job arrived before the settings");
    return { made: await make(await connection, job) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function make(duckdb: DuckDBConnection, job: CompactionJob): Promise<MadeFile[]> {
  switch (job.kind) {
    case "compact":
      return compact(duckdb, job);
    case "merge":
      return merge(duckdb, job);
    case "erase":
      return erase(duckdb, job);
    default:
      return job satisfies never;
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
    // Rows leave in the order of the files that they come from, without a sort.
    preserve_insertion_order: "true",
  });
  const duckdb = await instance.connect();
  await duckdb.run("SET TimeZone = 'UTC'"); // as for queries, so that conditions choose the same rows
  return duckdb;
}
