import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import type { ChildQuery } from "../protocol.ts";
import { quoteText, viewFiles, viewStatements } from "./views.ts";

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

/** Shuts the files out: nothing but `files` may be opened, and no setting may change any more. */
export async function lock(connection: DuckDBConnection, files: readonly string[], memoryBytes: number): Promise<void> {
  await connection.run(`SET memory_limit = '${Math.floor(memoryBytes / 1024)}KiB'`);
  await connection.run(`SET allowed_paths = [${files.map(quoteText).join(", ")}]`);
  await connection.run("SET enable_external_access = false");
  await connection.run("SET lock_configuration = true");
  const reader = await connection.runAndReadAll(
    "SELECT current_setting('enable_external_access')::VARCHAR, current_setting('lock_configuration')::VARCHAR",
  );
  const [access, locked] = reader.getRows()[0] ?? [];
  if (access !== "false" || locked !== "true") throw new Error("cannot lock the query engine: a setting did not hold");
}

/** Gives an instance the tables of a query and locks it. */
export async function furnish(
  connection: DuckDBConnection,
  query: ChildQuery,
  used: ReadonlySet<string>,
): Promise<void> {
  for (const statement of viewStatements(query, used)) await connection.run(statement);
  await lock(connection, viewFiles(query, used), query.memoryBytesMax);
}
