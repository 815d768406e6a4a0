import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { text } from "node:stream/consumers";
import { systemClock } from "#kernel/time.ts";
import { COLUMNS, type TelemetryType } from "../../columns.ts";
import { TEST_ORIGIN } from "../../testing/origin.ts";
import type { QueryRequest } from "../../types.ts";
import type { HotInput, ParquetInput, Snapshot, SnapshotTable } from "../../snapshot.ts";
import { createQueryEngine, defaultQuerySettings, type QueryEngine, type QueryEngineSettings } from "../index.ts";
import type { Targets } from "./attacks.ts";

export const ORG = "org_00000000000000000000000001";
export const OTHER_ORG = "org_00000000000000000000000002";
/** A text in every row of the other organization. */
export const OTHER_MARK = "other-organizations-secret";
export const MASTER_KEY = "the-master-key-of-this-test";

const MIB = 1024 * 1024;

export interface TestEngine {
  readonly engine: QueryEngine;
  readonly directory: string;
  readonly targets: Targets;
  /** Snapshots that were taken and not yet released; negative if one was released twice. */
  held(): number;
  /** The log's lines. */
  readonly logged: {
    readonly level: string;
    readonly message: string;
    readonly fields: Readonly<Record<string, unknown>>;
  }[];
  close(): Promise<void>;
}

type Row = Readonly<Record<string, unknown>>;
type Tables = Partial<Record<TelemetryType, { readonly parquet?: readonly Row[]; readonly hot?: readonly Row[] }>>;

/** Opens an engine on a new directory, with the fixture's rows and those of another organization. */
export async function openTestEngine(
  tables: Tables = {},
  overrides: Partial<QueryEngineSettings> = {},
): Promise<TestEngine> {
  const directory = await mkdtemp(join(tmpdir(), "mooring-query-"));
  const telemetryDir = join(directory, "telemetry");
  const ownDir = join(telemetryDir, ORG);
  await mkdir(join(telemetryDir, "other"), { recursive: true });
  await mkdir(ownDir);
  await writeFile(join(directory, "master.key"), MASTER_KEY);
  await symlink("/etc/passwd", join(ownDir, "link"));
  const own = await writeTables(ownDir, tables);
  const other = await writeTables(join(telemetryDir, "other"), {
    logs: { parquet: [{ timestamp: "2026-11-20T08:00:00Z", level: "info", message: OTHER_MARK }] },
  });
  let held = 0;
  const logged: TestEngine["logged"] = [];
  const at = (level: string) => (fields: object, message: string) => {
    logged.push({ level, message, fields: fields as Row });
  };
  const engine = createQueryEngine({
    settings: { ...defaultQuerySettings(telemetryDir), dataDir: directory, ...overrides },
    log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
    clock: systemClock,
    snapshot: (orgId) => {
      held++;
      return Promise.resolve({ tables: orgId === OTHER_ORG ? other : own, release: () => held-- });
    },
  });
  return {
    engine,
    directory,
    targets: {
      otherFile: join(telemetryDir, "other", "logs.parquet"),
      ownHot: join(ownDir, "logs.ndjson"),
      ownParquet: join(ownDir, "logs.parquet"),
      ownDir,
      secretFile: join(directory, "master.key"),
    },
    held: () => held,
    logged,
    close: async () => {
      await engine.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Returns a request with limits that suit a test. */
export function request(sql: string, overrides: Partial<QueryRequest> = {}): QueryRequest {
  return {
    orgId: ORG,
    origin: TEST_ORIGIN,
    visible: "all",
    sql,
    parameters: [],
    format: "json",
    timeoutMs: 20_000,
    memoryBytesMax: 256 * MIB,
    rowsMax: 10_000,
    truncate: false,
    signal: new AbortController().signal,
    ...overrides,
  };
}

/** Returns the whole text of a result. */
export async function resultText(
  engine: QueryEngine,
  sql: string,
  overrides: Partial<QueryRequest> = {},
): Promise<string> {
  const { body } = await engine.query(request(sql, overrides));
  return text(body);
}

/** Returns the rows of a result, each as the list of its values. */
export async function rows(
  engine: QueryEngine,
  sql: string,
  overrides: Partial<QueryRequest> = {},
): Promise<unknown[][]> {
  const result = JSON.parse(await resultText(engine, sql, overrides)) as { rows: Record<string, unknown>[] };
  return result.rows.map((row) => Object.values(row));
}

async function writeTables(directory: string, tables: Tables): Promise<Snapshot["tables"]> {
  const write = async (type: TelemetryType): Promise<SnapshotTable> => {
    const { parquet = [], hot = [] } = tables[type] ?? {};
    const files = { parquet: [] as ParquetInput[], hot: [] as HotInput[], filesTotal: 2 };
    if (hot.length > 0) {
      const path = await writeRows(join(directory, `${type}.ndjson`), hot);
      files.hot.push({ path, rows: hot.length, bytes: (await stat(path)).size });
    }
    if (parquet.length > 0) {
      const source = await writeRows(join(directory, `${type}.source`), parquet);
      const path = join(directory, `${type}.parquet`);
      await duckdb(
        `COPY (SELECT * FROM ${readJson(source, type)} ORDER BY timestamp) TO '${path}' (FORMAT parquet, COMPRESSION zstd)`,
      );
      const times = parquet.map((row) => Date.parse(String(row["timestamp"])) * 1000);
      const { size: bytes } = await stat(path);
      const [minUs, maxUs] = [Math.min(...times), Math.max(...times) + 999];
      files.parquet.push({ path, rows: parquet.length, bytes, minUs, maxUs, promoted: [] });
      await rm(source);
    }
    return files;
  };
  return { logs: await write("logs"), metrics: await write("metrics"), traces: await write("traces") };
}

function readJson(path: string, type: TelemetryType): string {
  const columns = COLUMNS[type].map((column) => `'${column.name}': '${column.type}'`).join(", ");
  return `read_json('${path}', format = 'newline_delimited', columns = {${columns}})`;
}

async function writeRows(path: string, lines: readonly Row[]): Promise<string> {
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}

/** Runs the test's own statements in a DuckDB of another process. */
export function duckdb(...statements: readonly string[]): Promise<void> {
  const program = `
    import { DuckDBInstance } from "@duckdb/node-api";
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    await connection.run("SET TimeZone = 'UTC'");
    for (const statement of ${JSON.stringify(statements)}) await connection.run(statement);
  `;
  return new Promise((resolve, reject) => {
    const cwd = fileURLToPath(new URL(".", import.meta.url));
    const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
      cwd,
      stdio: ["ignore", "inherit", "inherit"],
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`cannot write the fixture: duckdb ended with ${code}`));
    });
  });
}

/** Waits for a condition, up to a deadline. */
export async function until(condition: () => boolean, deadlineMs = 5000): Promise<void> {
  const startedMs = performance.now();
  while (!condition()) {
    if (performance.now() - startedMs > deadlineMs) assert.fail("the condition did not become true in time");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Returns the children of this process, by /proc. */
export function childPids(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === process.pid)
    .map(Number)
    .sort((a, b) => a - b);
}

function parentOf(pid: string): number | undefined {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return state === "Z" ? undefined : Number(parent);
  } catch {
    return undefined; // The child ended meanwhile.
  }
}

/** Returns the resident memory of all children together, in bytes. */
export function childrenResident(): number {
  return childPids().reduce(
    (sum, pid) => sum + Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096,
    0,
  );
}
