import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { asWritten, type AttributeText, type Question } from "./queries.ts";

/** As our queries have it by default. */
const SETTINGS = { threads: "2", memory_limit: "1GiB" };

/** DuckDB as a program would use it by hand: in this process, over the very same Parquet files. */
export interface ByHand {
  /** The plainest statement, in an instance that is open already and has read the files before. */
  warm(question: Question): Promise<unknown[]>;
  /** The same instance, with the columns of promoted attributes where every file has one. */
  expert(question: Question): Promise<unknown[]>;
  /** The plainest statement in a new instance, as every query of ours has one. */
  fresh(question: Question): Promise<unknown[]>;
  /** Attributes that have a column in every file. */
  readonly promotedKeys: readonly string[];
  close(): void;
}

type Files = Readonly<Record<"logs" | "traces", readonly string[]>>;

export async function openByHand(files: Files): Promise<ByHand> {
  const kept = await open(files);
  const promotedKeys = await promotedIn(kept.connection, files.logs);
  await kept.connection.run("CREATE SCHEMA promoted");
  await kept.connection.run(
    `CREATE VIEW promoted.logs AS FROM read_parquet(${listOf(files.logs)}, union_by_name = true)`,
  );
  return {
    warm: (question) => rowsOf(kept.connection, question.sql(asWritten)),
    expert: async (question) => {
      const attribute: AttributeText = (key) => (promotedKeys.includes(key) ? `"${columnOf(key)}"` : asWritten(key));
      return rowsOf(kept.connection, question.sql(attribute).replaceAll("FROM logs", "FROM promoted.logs"));
    },
    fresh: async (question) => {
      const { connection, close } = await open(files);
      try {
        return await rowsOf(connection, question.sql(asWritten));
      } finally {
        close();
      }
    },
    promotedKeys,
    close: kept.close,
  };
}

/** A new instance with the tables as views, without the columns of promoted attributes. */
async function open(files: Files): Promise<{ connection: DuckDBConnection; close: () => void }> {
  const instance = await DuckDBInstance.create(":memory:", SETTINGS);
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  for (const [table, columns] of Object.entries(VISIBLE)) {
    const list = listOf(files[table as keyof Files]);
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

function columnOf(key: string): string {
  return PREFIX + Buffer.from(key).toString("hex");
}

async function promotedIn(connection: DuckDBConnection, files: readonly string[]): Promise<string[]> {
  const found = await connection.runAndReadAll(
    `SELECT name FROM parquet_schema(${listOf(files)}) WHERE starts_with(name, '${PREFIX}') GROUP BY name HAVING count(*) = ${files.length}`,
  );
  return found.getRows().map(([name]) => Buffer.from(String(name).slice(PREFIX.length), "hex").toString());
}
