import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import * as accessors from "@duckdb/node-api/lib/vectors/dataAccessors.js";
import { quoteText } from "./views.ts";

// The package's decoder removes U+FEFF at the beginning of a text. A result must have the text unchanged.
Object.assign((accessors as unknown as { default: object }).default, {
  textDecoder: new TextDecoder("utf-8", { ignoreBOM: true }),
});

/** One in-memory database for one query. */
export interface Instance {
  readonly connection: DuckDBConnection;
  close(): void;
}

/** The views, files and memory that a locked instance may use. */
export interface Locked {
  readonly views?: readonly string[];
  readonly files: readonly string[];
  readonly memoryBytes: number;
}

export const BEGIN = "BEGIN TRANSACTION READ ONLY";

const FIXED = {
  temp_directory: "",
  autoload_known_extensions: "false",
  autoinstall_known_extensions: "false",
  allow_community_extensions: "false",
  allow_persistent_secrets: "false",
  errors_as_json: "true",
  max_expression_depth: "500",
};

/** Creates an instance without data. This takes most of the set-up time, so it is done before the query arrives. */
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

/**
 * Begins the query's transaction with its memory and threads. Several statements are sent in one call, because each call is a
 * round trip to a thread.
 */
export async function begin(
  connection: DuckDBConnection,
  { memoryBytesMax, threads }: { readonly memoryBytesMax: number; readonly threads: number },
): Promise<void> {
  await connection.run(`${memoryLimit(memoryBytesMax)}; SET threads = ${threads}; ${BEGIN}`);
}

function memoryLimit(bytes: number): string {
  return `SET memory_limit = '${Math.floor(bytes / 1024)}KiB'`;
}

/** Creates `views` and locks the instance: only `files` may be opened, and no setting may change any more. */
export async function lock(connection: DuckDBConnection, { views = [], files, memoryBytes }: Locked): Promise<void> {
  const statements = [
    ...views,
    memoryLimit(memoryBytes),
    `SET allowed_paths = [${files.map(quoteText).join(", ")}]`,
    "SET enable_external_access = false",
    "SET lock_configuration = true",
    "SELECT current_setting('enable_external_access')::VARCHAR, current_setting('lock_configuration')::VARCHAR",
  ];
  const reader = await connection.runAndReadAll(statements.join("; "));
  const [access, locked] = reader.getRows()[0] ?? [];
  if (access !== "false" || locked !== "true")
    throw new Error("cannot lock the query engine: a setting was not applied");
}
