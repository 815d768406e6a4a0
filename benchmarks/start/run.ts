import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { shown, spreadOf } from "../lib/statistics.ts";

// Starts the package, installed from its tarball, beside the sources: the CPU of `mooring --help` beside `node -e 0`, the time
// and CPU until the server is ready, and its memory a minute after the last request. Linux only.

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "5" }, "rest-ms": { type: "string", default: "60000" } },
});
const ROUNDS = Number(values.rounds);
const REST_MS = Number(values["rest-ms"]);
/** Linux counts CPU time in clock ticks, and one run takes only a few of them. */
const RUNS_A_SAMPLE = 10;
const TICK_MS = 10;
const MIB = 1024 ** 2;

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "mooring-start-"));
const environment = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: join(folder, "home") };
const launchers = { package: install(), sources: join(root, "server/bin/mooring.mjs") };

try {
  helpCpu();
  const kept = await readyTimes();
  await memoryAtRest(kept);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function install(): string {
  mkdirSync(environment.HOME);
  execFileSync(process.execPath, [join(root, "tools/package.ts"), "--out", folder], { stdio: "ignore" });
  const tarball = readdirSync(folder).find((name) => /^mooring-\d.*\.tgz$/.test(name)) ?? "";
  execFileSync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", join(folder, tarball)], {
    cwd: folder,
    stdio: "ignore",
  });
  return join(folder, "node_modules/mooring/bin/mooring.mjs");
}

function helpCpu(): void {
  const samples = { node: [] as number[], package: [] as number[], sources: [] as number[] };
  const words = { node: ["-e", "0"], package: [launchers.package, "--help"], sources: [launchers.sources, "--help"] };
  runOnce(words.package); // writes the compile cache
  for (let round = 0; round < ROUNDS; round++)
    for (const name of ["node", "package", "sources"] as const) samples[name].push(cpuOf(words[name]));
  const [node, made] = [spreadOf(samples.node), spreadOf(samples.package)];
  report(
    `CPU of --help: package ${shown(made)} ms, sources ${shown(spreadOf(samples.sources))} ms, node -e 0 ${shown(node)} ms`,
  );
  report(`  package / node -e 0: ${(made.median / node.median).toFixed(2)}`);
}

function runOnce(words: readonly string[]): void {
  const { status } = spawnSync(process.execPath, words, { env: environment, stdio: "ignore" });
  if (status !== 0) throw new Error(`cannot run ${words.join(" ")}`);
}

/** Milliseconds of CPU of one run. */
function cpuOf(words: readonly string[]): number {
  const beforeMs = childrenCpuMs();
  for (let run = 0; run < RUNS_A_SAMPLE; run++) runOnce(words);
  return (childrenCpuMs() - beforeMs) / RUNS_A_SAMPLE;
}

/** CPU of the children of this process that have ended. */
function childrenCpuMs(): number {
  const [user, system] = fieldsOf("self").slice(13, 15);
  return (Number(user) + Number(system)) * TICK_MS;
}

/** The fields of /proc/PID/stat after the command's name, from the third field on. */
function fieldsOf(pid: number | "self"): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8");
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** Returns the server of the package that was started last. It still runs. */
async function readyTimes(): Promise<Server> {
  const samples = { package: [] as number[], sources: [] as number[] };
  const cpu = { package: [] as number[], sources: [] as number[] };
  for (let round = 0; round < ROUNDS + 1; round++)
    for (const name of ["package", "sources"] as const) {
      const server = await start(name);
      // The first round fills the compile cache and the page cache.
      if (round > 0) samples[name].push(server.readyMs);
      if (round > 0) cpu[name].push(server.cpuMs);
      await server.stop();
    }
  const [made, sources] = [spreadOf(samples.package), spreadOf(samples.sources)];
  report(
    `ready after: package ${shown(made)} ms, sources ${shown(sources)} ms; ratio ${(made.median / sources.median).toFixed(2)}`,
  );
  report(`  CPU until then: package ${shown(spreadOf(cpu.package))} ms, sources ${shown(spreadOf(cpu.sources))} ms`);
  return start("package");
}

interface Server {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly dataDir: string;
  readonly readyMs: number;
  readonly cpuMs: number;
  stop(): Promise<void>;
}

async function start(name: keyof typeof launchers): Promise<Server> {
  const dataDir = join(folder, `data-${name}`);
  const listen = ["--listen", "127.0.0.1:0", "--s3-listen", "127.0.0.1:0", "--metrics-listen", "off"];
  const startedMs = performance.now();
  const child = spawn(process.execPath, [launchers[name], "serve", "--data-dir", dataDir, ...listen], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const origin = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const found = /portal\s+(http:\/\/\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const readyMs = performance.now() - startedMs;
  const [user, system] = fieldsOf(child.pid ?? 0).slice(11, 13);
  const cpuMs = (Number(user) + Number(system)) * TICK_MS;
  const stop = async (): Promise<void> => {
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await exited;
  };
  return { child, origin, dataDir, readyMs, cpuMs, stop };
}

async function memoryAtRest(server: Server): Promise<void> {
  const ready = memoryOf(server);
  await useAll(server);
  await delay(REST_MS);
  const rest = memoryOf(server);
  for (const [when, parts] of [
    ["ready", ready],
    [`${REST_MS / 1000} s after the last request`, rest],
  ] as const) {
    const total = parts.reduce((sum, { mib }) => sum + mib, 0);
    const each = parts.map(({ name, mib }) => `${name} ${mib.toFixed(0)}`).join(", ");
    report(`memory (PSS), ${when}: ${total.toFixed(0)} MiB (${each})`);
  }
  await server.stop();
}

/** A token, log entries, a query, a page and a list: each process that serves requests was needed once. */
async function useAll({ origin, dataDir }: Server): Promise<void> {
  const words = ["bootstrap", "--data-dir", dataDir, "--org", "acme", "--project", "web", "--app", "shop", "--json"];
  const home = JSON.parse(
    execFileSync(process.execPath, [launchers.package, ...words], { env: environment, encoding: "utf8" }),
  ) as {
    credential: Record<string, string>;
  };
  const form = new URLSearchParams({ grant_type: "client_credentials", ...home.credential });
  const answer = (await (await fetch(`${origin}/oauth/token`, { method: "POST", body: form })).json()) as {
    access_token: string;
  };
  const headers = { authorization: `Bearer ${answer.access_token}`, "content-type": "application/json" };
  const ask = async (path: string, body?: object): Promise<void> => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${origin}${path}`, { headers, ...sent });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  const entries = Array.from({ length: 1000 }, (_, at) => ({
    timestamp: new Date().toISOString(),
    level: "info",
    message: `entry ${at}`,
  }));
  for (let batch = 0; batch < 20; batch++) await ask("/v1/ingest/logs", { entries });
  await ask("/v1/query", { sql: "SELECT count(*) AS n FROM logs" });
  await ask("/v1/files?limit=10");
  await ask("/");
}

/** Proportional memory of a process and its descendants. */
function memoryOf({ child }: Server): { name: string; mib: number }[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc"))
    if (/^\d+$/.test(name)) {
      try {
        parents.set(Number(name), Number(fieldsOf(Number(name))[1]));
      } catch {
        // It ended meanwhile.
      }
    }
  const family = [child.pid ?? 0];
  for (const pid of family)
    for (const [other, parent] of parents) if (parent === pid && !family.includes(other)) family.push(other);
  return family.map((pid) => {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const program =
      words
        .find((word) => /\.(m?js|ts)$/.test(word))
        ?.split("/")
        .at(-1) ??
      words[0] ??
      "";
    const kib = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
    return { name: program, mib: (Number(kib) * 1024) / MIB };
  });
}

function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
