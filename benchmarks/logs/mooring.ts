import { linkSync, mkdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startProduct } from "../lib/product.ts";
import { freePort } from "../../tests/fixtures/ports.ts";
import type { Target } from "./target.ts";
import { metricIn, until } from "./until.ts";

export interface Mooring extends Target {
  /** Runs a statement. */
  query(sql: string): Promise<{ readonly rows: unknown[]; readonly elapsedMs: number }>;
  /** Gets a new token, because a long run takes longer than the life of one. */
  authorize(): Promise<void>;
  /** Waits until no merge is running and the files no longer change. */
  rest(): Promise<void>;
  /** Makes hard links to the current Parquet files of a table, so that no merge deletes their content. */
  linkFiles(type: "logs" | "traces", dir: string): string[];
}

const REST_MS = 15_000;
const REST_TIMEOUT_MS = 600_000;
const QUERY_TIMEOUT_MS = 60_000;

export async function startMooring(dataDir: string): Promise<Mooring> {
  const metricsPort = await freePort();
  // Few rows wait ten seconds for their file instead of five minutes, so that the run ends soon.
  const flags = ["--compaction-interval-ms", "10000", "--query-timeout-ms-max", String(QUERY_TIMEOUT_MS)];
  const product = await startProduct({ dataDir, keepData: true, metricsListen: `127.0.0.1:${metricsPort}`, flags });
  process.prependOnceListener("exit", () => product.process.kill("SIGKILL"));
  const { credential } = await product.bootstrap("bench");
  let headers: Record<string, string> = {};
  const authorize = async (): Promise<void> => {
    headers = { authorization: `Bearer ${await product.token(credential)}`, "content-type": "application/json" };
  };
  await authorize();
  const storageDir = join(dataDir, "telemetry");
  const page = async (): Promise<string> => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const query: Mooring["query"] = async (sql) => {
    const body = JSON.stringify({ sql, timeout_ms: QUERY_TIMEOUT_MS });
    const response = await fetch(`${product.url}/v1/query`, { method: "POST", headers, body });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`a query was answered with ${response.status}: ${text}`);
    const { rows, statistics } = JSON.parse(text) as { rows: unknown[]; statistics: { elapsed_ms: number } };
    return { rows, elapsedMs: statistics.elapsed_ms };
  };
  return {
    name: "Mooring",
    durable: "flushed to disk (fdatasync) before the 202",
    pid: product.process.pid ?? 0,
    storageDir,
    filesDir: join(storageDir, "parquet"),
    plan: ({ path }) => ({
      host: product.host,
      port: product.port,
      path: path.endsWith("spans.ndjson") ? "/v1/ingest/traces" : "/v1/ingest/logs",
      headers,
      form: "entries",
    }),
    pendingRows: async () => metricIn(await page(), "mooring_telemetry_hot_rows"),
    query,
    authorize,
    entries: async () => {
      await authorize();
      const { rows } = await query("SELECT count(*) AS n FROM logs");
      return Number((rows[0] as { n?: number } | undefined)?.n);
    },
    rest: () => restOf(storageDir),
    linkFiles: (type, dir) => linkFiles(dataDir, type, dir),
    stop: () => product.stop(),
  };
}

/** Waits until the names of the files no longer change. */
async function restOf(storageDir: string): Promise<void> {
  let names = "";
  let since = performance.now();
  await until("the files rest", REST_TIMEOUT_MS, async () => {
    const seen = [];
    for (const part of ["parquet", "work"]) seen.push(...(await readdir(join(storageDir, part), { recursive: true })));
    const now = seen.toSorted().join("\n");
    if (now !== names) since = performance.now();
    names = now;
    return performance.now() - since >= REST_MS;
  });
}

function linkFiles(dataDir: string, type: string, dir: string): string[] {
  mkdirSync(dir, { recursive: true });
  const database = new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true });
  const files = database.prepare("SELECT path FROM telemetry_file WHERE type = ? AND dropped_at IS NULL").all(type);
  database.close();
  return files.map((file, i) => {
    const link = join(dir, `${type}-${i}.parquet`);
    linkSync(join(dataDir, "telemetry", String(file["path"])), link);
    return link;
  });
}
