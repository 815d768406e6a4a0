import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { grpcClient } from "../../tests/fixtures/grpc.ts";
import { PROTOCOL_BODIES, type ProtocolBody } from "../../tests/fixtures/protocol-bodies.ts";
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

/** All bodies have the same series, and times that follow one another, as Prometheus requires. */
const BODY_MS = 50;
/** Begins an hour ago, because the server refuses times that are more than an hour ahead. */
let clockMs = Date.now() - 3_600_000;
const ids = Array.from({ length: ROWS }, (_, row) => `bench_series_${row}`);

interface Target {
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  readonly headers: Record<string, string>;
}

/** Returns the rows for a CPU second of a process, while it gets `BODIES` times `ROWS` rows. */
async function measured(pid: number, send: () => Promise<number>): Promise<number> {
  const before = cpuOf(pid);
  const bodies = await send();
  return (bodies * ROWS) / (cpuOf(pid) - before);
}

function bodyOf(name: string): ProtocolBody {
  const made = PROTOCOL_BODIES[name]?.(ids, (clockMs += BODY_MS));
  if (made === undefined) throw new Error(`no body for ${name}`);
  return made;
}

/** Sends a round of bodies, one after another, and returns the rows for a CPU second. */
async function rowsPerCpuSecond(name: string, { pid, host, port, headers }: Target): Promise<number> {
  const requests = Array.from({ length: BODIES }, () => {
    const made = bodyOf(name);
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
  return measured(pid, async () => {
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
    return answered;
  });
}

/** The same over gRPC, with the messages of OTLP in protobuf. */
async function rowsOverGrpc(pid: number, { origin, token }: { origin: string; token: string }): Promise<number> {
  const messages = Array.from({ length: BODIES }, () => bodyOf("OTLP, protobuf").body);
  const client = grpcClient(origin);
  try {
    return await measured(pid, async () => {
      for (const message of messages) {
        const { code, message: reason } = await client.call({ token, message });
        if (code !== 0) throw new Error(`OTLP over gRPC: status ${code}: ${reason}`);
      }
      return BODIES;
    });
  } finally {
    client.close();
  }
}

const SYSLOG_POLL_MS = 200;

/** The same over a connection of syslog, which has no answers: until the metrics count the rows as stored. */
async function rowsOverSyslog(pid: number, to: { port: number; metrics: string; key: string }): Promise<number> {
  const element = `[token@32473 key="${to.key}"]`;
  const lines = Array.from({ length: BODIES }, () => {
    const time = new Date((clockMs += BODY_MS)).toISOString();
    return ids.map((id) => `<14>1 ${time} host bench - - ${element} ${id}\n`).join("");
  });
  const stored = async (): Promise<number> => {
    const text = await (await fetch(to.metrics)).text();
    return Number(/^mooring_syslog_messages_total\{(?=[^}]*tcp)[^}]*"stored"[^}]*\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const earlier = await stored();
  return measured(pid, async () => {
    const socket = connect(to.port, "127.0.0.1");
    socket.end(lines.join(""));
    const deadline = performance.now() + DURATION_MS_MAX;
    while ((await stored()) - earlier < BODIES * ROWS) {
      if (performance.now() > deadline) throw new Error(`syslog: ${(await stored()) - earlier} rows are stored`);
      await delay(SYSLOG_POLL_MS);
    }
    return BODIES;
  });
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
    await delay(100);
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
const [grpcPort, syslogPort, metricsPort] = [await freePort(), await freePort(), await freePort()];
const product = await startProduct({
  metricsListen: `127.0.0.1:${metricsPort}`,
  flags: ["--otlp-grpc-listen", `127.0.0.1:${grpcPort}`, "--syslog-tcp-listen", `127.0.0.1:${syslogPort}`],
});
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
  const made = await fetch(`${product.url}/v1/ingest-keys`, {
    method: "POST",
    headers: { ...target.headers, "content-type": "application/json" },
    body: '{"name":"syslog"}',
  });
  const { key } = (await made.json()) as { key: string };
  const syslog = { port: syslogPort, metrics: `http://127.0.0.1:${metricsPort}/metrics`, key };
  const others: Readonly<Record<string, () => Promise<number>>> = {
    "OTLP over gRPC": () => rowsOverGrpc(target.pid, { origin: `http://127.0.0.1:${grpcPort}`, token }),
    "syslog over TCP": () => rowsOverSyslog(target.pid, syslog),
  };
  const figures = new Map<string, number[]>();
  const add = (name: string, figure: number): void => void figures.set(name, [...(figures.get(name) ?? []), figure]);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of Object.keys(PROTOCOL_BODIES)) {
      const figure = await rowsPerCpuSecond(name, target);
      if (round > 0) add(name, figure);
    }
    for (const [name, measure] of Object.entries(others)) {
      const figure = await measure();
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
