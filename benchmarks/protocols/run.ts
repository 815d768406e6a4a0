import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PROTOCOL_BODIES } from "../../tests/fixtures/protocol-bodies.ts";
import { requestBytes, runLoad } from "../lib/load.ts";
import { startProduct } from "../lib/product.ts";
import { shown, spreadOf } from "../lib/statistics.ts";

// Rows for a CPU second of the main process, for each protocol beside OTLP/HTTP, and remote write beside Prometheus' own
// receiver. Every body is sent once, since repeats are not stored. Linux only.

const { values } = parseArgs({ options: { rounds: { type: "string" }, bodies: { type: "string" } } });
const ROUNDS = Number(values.rounds ?? 5);
const BODIES = Number(values.bodies ?? 200);
const ROWS = 500;
const TICKS_PER_SECOND = 100;
const DURATION_MS_MAX = 120_000;

/** Returns the CPU time of a process in seconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The rows of a round have the same series in all rounds, and times that follow one another, as Prometheus requires. */
let clockMs = Date.now() - ROUNDS * BODIES * 1000;
const ids = Array.from({ length: ROWS }, (_, row) => `bench_series_${row}`);

interface Target {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  readonly headers: Record<string, string>;
}

/** Sends a round of bodies, one after another, and returns the rows for a CPU second. */
async function rowsPerCpuSecond(name: string, { pid, host, port, headers }: Target): Promise<number> {
  const requests = Array.from({ length: BODIES }, () => {
    const made = PROTOCOL_BODIES[name]?.(ids, (clockMs += 1000));
    if (made === undefined) throw new Error(`no body for ${name}`);
    const { body } = made;
    // Prometheus has its receiver at the path that is an alias here.
    const path = made.path.replace(/^\/prometheus/, "");
    return requestBytes({
      method: "POST",
      path,
      host: `${host}:${port}`,
      headers: { ...made.headers, ...headers, ...CODINGS[name] },
      body,
    });
  });
  const before = cpuOf(pid);
  const { answered, statuses } = await runLoad({
    host,
    port,
    requests,
    connections: 1,
    durationMs: DURATION_MS_MAX,
    requestsMax: BODIES,
  });
  const refused = Object.keys(statuses).filter((status) => !status.startsWith("2"));
  if (refused.length > 0) throw new Error(`${name}: answers other than 2xx: ${JSON.stringify(statuses)}`);
  return (answered * ROWS) / (cpuOf(pid) - before);
}

/** Prometheus' receiver requires the field. */
const CODINGS: Readonly<Record<string, Record<string, string>>> = {
  "remote write 1.0": { "content-encoding": "snappy" },
};

interface Receiver extends Target {
  stop(): Promise<void>;
}

/** Starts Prometheus as a receiver of remote write; undefined without a binary. */
async function startReceiver(): Promise<Receiver | undefined> {
  const program = process.env["MOORING_BENCH_PROMETHEUS"] ?? "prometheus";
  if (spawnSync(program, ["--version"]).error !== undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), "mooring-bench-prometheus-"));
  const file = join(directory, "prometheus.yaml");
  writeFileSync(file, "global: { scrape_interval: 1h }\n");
  const port = await freePort();
  const words = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${directory}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--web.enable-remote-write-receiver",
    "--log.level=error",
  ];
  const child: ChildProcess = spawn(program, words, { stdio: "inherit" });
  const pid = child.pid ?? 0;
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => null);
    if (ready?.status === 200) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const stop = async (): Promise<void> => {
    child.kill();
    await once(child, "exit");
    rmSync(directory, { recursive: true, force: true });
  };
  return { pid, host: "127.0.0.1", port, headers: {}, stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const RECEIVER = "remote write 1.0, Prometheus";
const product = await startProduct();
const receiver = await startReceiver();
try {
  const { credential } = await product.bootstrap("bench");
  const token = await product.token(credential);
  const target = {
    pid: product.process.pid ?? 0,
    host: product.host,
    port: product.port,
    headers: { authorization: `Bearer ${token}` },
  };
  const figures = new Map<string, number[]>();
  const add = (name: string, figure: number): void => void figures.set(name, [...(figures.get(name) ?? []), figure]);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of Object.keys(PROTOCOL_BODIES)) {
      const figure = await rowsPerCpuSecond(name, target);
      if (round > 0) add(name, figure);
    }
    if (receiver === undefined) continue;
    const figure = await rowsPerCpuSecond("remote write 1.0", receiver);
    if (round > 0) add(RECEIVER, figure);
  }
  const otlp = figures.get("OTLP, protobuf") ?? [];
  for (const [name, each] of figures) {
    const ratios = each.map((figure, at) => figure / (otlp[at] ?? Number.NaN));
    process.stdout.write(
      `${name}, ${ROWS} rows a body: ${shown(spreadOf(each))} rows for a CPU second; of OTLP in protobuf ${shown(spreadOf(ratios), 2)}\n`,
    );
  }
  if (receiver === undefined)
    process.stdout.write("Prometheus is not installed: MOORING_BENCH_PROMETHEUS names a binary\n");
} finally {
  await product.stop();
  await receiver?.stop();
}
