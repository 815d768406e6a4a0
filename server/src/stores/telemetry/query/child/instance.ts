import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { quoteText } from "./views.ts";

/** One in-memory database for one query. */
export interface Instance {
  readonly connection: DuckDBConnection;
  close(): void;
}

const FIXED = {
  temp_directory: "",
  autoload_known_extensions: "false",
  autoinstall_known_extensions: "false",
  allow_community_extensions: "false",
  allow_persistent_secrets: "false",
  errors_as_json: "true",
  max_expression_depth: "500",
};

/** Makes an instance that has no data yet. Done ahead of the query, since it is the larger part of the set-up. */
export async function makeInstance(threads: number): Promise<Instance> {
  const instance = await DuckDBInstance.create(":memory:", { ...FIXED, threads: String(threads) });
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  return {
    connection,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

export async function limitMemory(connection: DuckDBConnection, bytes: number): Promise<void> {
  await connection.run(`SET memory_limit = '${Math.floor(bytes / 1024)}KiB'`);
}

/** Shuts the files out: nothing but `files` may be opened, and no setting may change any more. */
export async function lock(connection: DuckDBConnection, files: readonly string[], memoryBytes: number): Promise<void> {
  await limitMemory(connection, memoryBytes);
  await connection.run(`SET allowed_paths = [${files.map(quoteText).join(", ")}]`);
  await connection.run("SET enable_external_access = false");
  await connection.run("SET lock_configuration = true");
  const reader = await connection.runAndReadAll(
    "SELECT current_setting('enable_external_access')::VARCHAR, current_setting('lock_configuration')::VARCHAR",
  );
  const [access, locked] = reader.getRows()[0] ?? [];
  if (access !== "false" || locked !== "true") throw new Error("cannot lock the query engine: a setting did not hold");
}
