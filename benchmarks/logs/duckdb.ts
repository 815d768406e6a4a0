import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";

/** The defaults of our queries. */
const SETTINGS = { threads: "2", memory_limit: "1GiB" };

/** Paths of the Parquet files of each table. */
export type ByHandFiles = Readonly<Record<"logs" | "traces", readonly string[]>>;

/** Runs statements over the same Parquet files. */
export interface Statements {
  /** In an open instance that has read the files before. */
  warm(sql: string): Promise<unknown[]>;
  /** In the same instance, over files with the columns of promoted attributes. */
  expert(sql: string): Promise<unknown[]>;
  /** In a new instance, as each of our queries has one. */
  fresh(sql: string): Promise<unknown[]>;
  /** Attributes that have a column in every file. */
  readonly promotedKeys: readonly string[];
}

export async function openStatements(files: ByHandFiles): Promise<Statements> {
  const kept = await open(files);
  const promotedKeys = await promotedIn(kept.connection, files.logs);
  await kept.connection.run("CREATE SCHEMA promoted");
  await kept.connection.run(
    `CREATE VIEW promoted.logs AS FROM read_parquet(${listOf(files.logs)}, union_by_name = true)`,
  );
  return {
    warm: (sql) => rowsOf(kept.connection, sql),
    expert: (sql) => rowsOf(kept.connection, sql.replaceAll("FROM logs", "FROM promoted.logs")),
    fresh: async (sql) => {
      const { connection, close } = await open(files);
      try {
        return await rowsOf(connection, sql);
      } finally {
        close();
      }
    },
    promotedKeys,
  };
}

/** Opens a new instance with the tables as views, without the columns of promoted attributes. */
async function open(files: ByHandFiles): Promise<{ connection: DuckDBConnection; close: () => void }> {
  const instance = await DuckDBInstance.create(":memory:", SETTINGS);
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  for (const [table, columns] of Object.entries(VISIBLE)) {
    const list = listOf(files[table as keyof ByHandFiles]);
    await connection.run(`CREATE VIEW ${table} AS SELECT ${columns} FROM read_parquet(${list})`);
  }
  return {
    connection,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

const VISIBLE = {
  logs: "timestamp, level, severity, message, service, trace_id, span_id, attributes, project_id",
  traces:
    "timestamp, trace_id, span_id, parent_span_id, name, kind, service, status, duration_ms, attributes, project_id",
};

function listOf(files: readonly string[]): string {
  return `[${files.map((path) => `'${path}'`).join(", ")}]`;
}

async function rowsOf(connection: DuckDBConnection, sql: string): Promise<unknown[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJson();
}

const PREFIX = "attribute_";

export function columnOf(key: string): string {
  return PREFIX + Buffer.from(key).toString("hex");
}

async function promotedIn(connection: DuckDBConnection, files: readonly string[]): Promise<string[]> {
  const found = await connection.runAndReadAll(
    `SELECT name FROM parquet_schema(${listOf(files)}) WHERE starts_with(name, '${PREFIX}') GROUP BY name HAVING count(*) = ${files.length}`,
  );
  return found.getRows().map(([name]) => Buffer.from(String(name).slice(PREFIX.length), "hex").toString());
}
