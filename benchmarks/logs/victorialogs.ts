import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { freePort } from "../../tests/fixtures/ports.ts";
import type { Target } from "./target.ts";
import { metricIn, until } from "./until.ts";

export interface VictoriaLogs extends Target {
  /** Runs a LogsQL query. With `limit`, returns only the newest rows. @returns rows with text values */
  query(logsql: string, limit?: number): Promise<unknown[]>;
  /** Starts all possible merges and waits for them. */
  rest(): Promise<void>;
}

const START_TIMEOUT_MS = 10_000;
/** The peer deletes merged files a little later. */
const REST_MS = 5000;
const MERGE_TIMEOUT_MS = 600_000;

/** Starts the peer on the loopback with its defaults, except for the retention. `binary` comes from the environment. */
export async function startVictoriaLogs(binary: string, storageDir: string): Promise<VictoriaLogs> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [`-httpListenAddr=127.0.0.1:${port}`, `-storageDataPath=${storageDir}`, "-retentionPeriod=100y"];
  const child = spawn(binary, [...args, "-loggerLevel=FATAL"], { stdio: ["ignore", "ignore", "inherit"] });
  process.prependOnceListener("exit", () => child.kill("SIGKILL"));
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text();
  await until("VictoriaLogs starts", START_TIMEOUT_MS, async () =>
    metrics().then(
      () => true,
      () => false,
    ),
  );
  const query = async (logsql: string, limit?: number): Promise<unknown[]> => {
    const body = new URLSearchParams({ query: logsql, ...(limit === undefined ? {} : { limit: String(limit) }) });
    const response = await fetch(`${url}/select/logsql/query`, { method: "POST", body });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`VictoriaLogs answered ${response.status}: ${text}`);
    return text.trim() === ""
      ? []
      : text
          .trim()
          .split("\n")
          .map((line): unknown => JSON.parse(line));
  };
  return {
    name: "VictoriaLogs",
    durable: "in memory; on disk within 5 s by default",
    pid: child.pid ?? 0,
    storageDir,
    plan: () => ({
      host: "127.0.0.1",
      port,
      path: "/insert/jsonline?_time_field=timestamp&_msg_field=message&_stream_fields=service",
      headers: { "content-type": "application/stream+json" },
      form: "lines",
    }),
    pendingRows: async () => metricIn(await metrics(), "vl_storage_rows", "storage/inmemory"),
    query,
    entries: async () => {
      await fetch(`${url}/internal/force_flush`);
      const [row] = (await query("* | stats count() n")) as { n?: string }[];
      return Number(row?.n);
    },
    rest: async () => {
      await fetch(`${url}/internal/force_merge`);
      let files = "";
      let since = performance.now();
      await until("VictoriaLogs merges", MERGE_TIMEOUT_MS, async () => {
        const page = await metrics();
        const merging = metricIn(page, "vl_active_force_merges") + metricIn(page, "vl_active_merges") > 0;
        const now = (await readdir(storageDir, { recursive: true })).toSorted().join("\n");
        if (merging || now !== files) since = performance.now();
        files = now;
        return performance.now() - since >= REST_MS;
      });
    },
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
