/** A machine with a server, a Prometheus that scrapes it, a browser, and the commands that pages of the documentation use. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "../fixtures/ports.ts";
import { eventually, type Launch } from "../fixtures/process.ts";
import { PROGRAM } from "../fixtures/program.ts";
import { startPrometheus, type Prometheus } from "../fixtures/prometheus.ts";
import { startServer, type Bootstrap, type Server, type Settings } from "../fixtures/server.ts";
import { browserFor, type Portal } from "../portal/browser.ts";
import { renderRules } from "../../tools/generate/alert-rules.ts";

const EXAMPLE = fileURLToPath(new URL("../../deploy/prometheus/prometheus.yaml", import.meta.url));
/** The rules wait for minutes. Here they wait for seconds. promtool tests the real times. */
const TIMES_FASTER = 60;
/** Ports in the pages. */
const PORTS = { listen: 8080, s3_listen: 9000, metrics_listen: 9464 } as const;
const PAGE_DEADLINE_MS = 120_000;
const MARK = "--- block";

/** Programs that the service manager of the machine runs. */
interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Directories of the machine that the pages name. */
export interface Places {
  /** `/etc/mooring` */
  readonly etc: string;
  /** `/var/backups/mooring` */
  readonly backups: string;
  /** `/etc/systemd/system/mooring.service.d` */
  readonly units: string;
}

export interface MachineOptions {
  /** Settings of the server, also for commands beside it. */
  readonly settings?: Settings;
  readonly environment?: Readonly<Record<string, string>>;
  /** Runs the server under another command. It is asked at each start. */
  readonly under?: () => Launch["under"];
  /** The parent of the data directory, which must exist. */
  readonly root?: string;
  /** More services, by the name that pages use. */
  readonly services?: Readonly<Record<string, Service>>;
  /** Scripts of commands that this machine does not have. */
  readonly commands?: Readonly<Record<string, string>>;
}

export interface Machine extends Places {
  readonly server: Server;
  readonly home: Bootstrap;
  readonly prometheus: Prometheus;
  readonly portal: Pick<Portal, "open">;
  readonly dataDir: string;
  /** The port of the server's API, S3 gateway or metrics. */
  port(listener: keyof typeof PORTS): number;
  token(): Promise<string>;
  start(): Promise<void>;
  /** Runs blocks of a page in one shell, with the paths and ports of this machine. Returns the output of each. */
  run(blocks: readonly string[], path: string, given?: Readonly<Record<string, string>>): Promise<string[]>;
  dispose(): Promise<void>;
}

export type MachineOptionsAt = (places: Places) => Promise<MachineOptions> | MachineOptions;

export async function startMachine(optionsAt: MachineOptionsAt): Promise<Machine> {
  const own = mkdtempSync(join(tmpdir(), "mooring-machine-own-"));
  const at = (name: string): string => join(own, name);
  const places = { etc: at("etc"), backups: at("backups"), units: at("units") };
  for (const each of [...Object.values(places), at("bin")]) mkdirSync(each);
  const options = await optionsAt(places);
  const root = options.root ?? mkdtempSync(join(tmpdir(), "mooring-machine-"));
  const dataDir = join(root, "mooring");
  const ports = await freePorts(Object.keys(PORTS).length);
  const portOf = (name: keyof typeof PORTS): number => ports[Object.keys(PORTS).indexOf(name)] ?? 0;
  const listeners = Object.fromEntries(Object.keys(PORTS).map((name, i) => [name, `127.0.0.1:${ports[i]}`]));
  const settings = { ...options.settings, ...listeners };
  let server: Server | undefined;
  const present = (): Server => server ?? assert.fail("no server");
  const service = {
    start: async () => {
      const environment = { ...options.environment, ...readEnvironment(join(places.etc, "environment")) };
      const under = options.under?.();
      const more = under === undefined ? {} : { under };
      server = await startServer({ dataDir, settings, environment, database: "sqlite", ...more });
    },
    stop: async () => void (await server?.stop()),
  };
  const hangUp = (): void => void process.kill(present().pid, "SIGHUP");
  const manager = await startManager({ ...options.services, mooring: service }, hangUp);
  writeCommands(at("bin"), manager.port, options.commands ?? {});
  await service.start();
  const home = await present().bootstrap();
  writeFileSync(join(places.etc, "credentials.json"), JSON.stringify(home), { mode: 0o600 });
  const prometheus = await watch(portOf("metrics_listen"), own);
  const portal = browserFor(() => ({ server: present(), home }));
  // The operator has signed in before the bad day: a sign-in is a write.
  await (await portal.open()).close();
  const flags = Object.entries(settings).map(([name, value]) => [`MOORING_${name.toUpperCase()}`, String(value)]);
  const set = { ...present().environment, ...Object.fromEntries(flags) };
  writeEnvironment(join(places.etc, "environment"), set);
  const shell = shellOf({ own, dataDir, places, portOf, set: { ...set, ...options.environment } });
  return {
    get server() {
      return present();
    },
    home,
    prometheus,
    portal,
    dataDir,
    ...places,
    port: portOf,
    token: () => present().token(home.credential),
    start: service.start,
    run: (blocks, path, given = {}) =>
      runBlocks(blocks, path, { ...shell, environment: { ...shell.environment, ...given } }),
    dispose: async () => {
      await portal.close();
      await prometheus.stop();
      await server?.dispose();
      await manager.close();
      rmSync(own, { recursive: true, force: true });
      rmSync(options.root === undefined ? root : dataDir, { recursive: true, force: true });
    },
  };
}

interface ShellPlaces {
  readonly own: string;
  readonly dataDir: string;
  readonly places: Places;
  readonly portOf: (name: keyof typeof PORTS) => number;
  readonly set: Readonly<Record<string, string>>;
}

/** Returns the shell in which pages are followed: paths and ports of this machine replace those of the pages. */
function shellOf({ own, dataDir, places, portOf, set }: ShellPlaces): Shell {
  const names = Object.keys(PORTS) as (keyof typeof PORTS)[];
  return {
    cwd: own,
    environment: {
      ...set,
      PATH: `${join(own, "bin")}:${process.env["PATH"] ?? "/usr/bin:/bin"}:/usr/sbin:/sbin`,
      HOME: own,
      MOORING_CREDENTIALS: join(places.etc, "credentials.json"),
    },
    replaced: [
      ["/var/lib/mooring", dataDir],
      ["/var/backups/mooring", places.backups],
      ["/etc/mooring", places.etc],
      ["/etc/systemd/system/mooring.service.d", places.units],
      ...names.map((name) => [String(PORTS[name]), String(portOf(name))] as const),
    ],
  };
}

/** Writes the settings as systemd reads them before it starts the server. */
function writeEnvironment(path: string, values: Readonly<Record<string, string>>): void {
  const settings = Object.entries(values).filter(([name]) => name.startsWith("MOORING_"));
  writeFileSync(path, settings.map(([name, value]) => `${name}=${value}\n`).join(""));
}

function readEnvironment(path: string): Readonly<Record<string, string>> {
  if (!existsSync(path)) return {};
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

/** Starts Prometheus by the example, with quick rules. */
async function watch(port: number, directory: string): Promise<Prometheus> {
  const [rules, configuration] = [join(directory, "alerts.yaml"), join(directory, "prometheus.yaml")];
  writeFileSync(rules, renderRules(TIMES_FASTER));
  const text = readFileSync(EXAMPLE, "utf8").replaceAll("15s", "1s").replace("127.0.0.1:9464", `127.0.0.1:${port}`);
  writeFileSync(configuration, text.replace("- alerts.yaml", `- ${JSON.stringify(rules)}`));
  return startPrometheus(configuration, directory);
}

/** A machine of a test has no service manager, so `systemctl` asks this one. */
async function startManager(
  services: Readonly<Record<string, Service>>,
  hangUp: () => void,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const act = async (verb: string, name: string): Promise<void> => {
    if (verb === "daemon-reload") return;
    if (verb === "reload") return hangUp();
    const service = services[name] ?? assert.fail(`no service ${name}`);
    if (verb !== "start") await service.stop();
    if (verb !== "stop") await service.start();
  };
  const listener = createServer((request, response) => {
    const [, verb = "", name = ""] = (request.url ?? "").split("/");
    act(verb, name).then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end((error as Error).message),
    );
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  return {
    port,
    close: async () => {
      listener.closeAllConnections();
      listener.close();
      await once(listener, "close");
    },
  };
}

function writeCommands(bin: string, managerPort: number, more: Readonly<Record<string, string>>): void {
  const commands = {
    mooring: `exec ${process.execPath} ${PROGRAM} "$@"`,
    systemctl: `exec curl -sS --fail-with-body "http://127.0.0.1:${managerPort}/$1/${"${2:-}"}"`,
    node: `exec ${process.execPath} "$@"`,
    ...more,
  };
  for (const [name, script] of Object.entries(commands))
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

interface Shell {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly replaced: readonly (readonly [string, string])[];
}

async function runBlocks(
  blocks: readonly string[],
  path: string,
  { cwd, environment, replaced }: Shell,
): Promise<string[]> {
  let script = blocks.map((block, i) => `echo "\n${MARK} ${i}"\n${block}`).join("\n");
  for (const [from, to] of replaced) script = script.replaceAll(from, to);
  const child = spawn("bash", ["-euo", "pipefail", "-c", script], {
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PAGE_DEADLINE_MS,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "close")) as [number | null];
  assert.equal(code, 0, `${path}: ${stdout}\n${stderr}`);
  return stdout.split(new RegExp(`^${MARK} \\d+\\n`, "m")).slice(1);
}

/** Waits until an alert fires. Returns the path of its page. */
export async function firing(machine: Machine, name: string, deadlineMs = 120_000): Promise<string> {
  return eventually(
    `${name} to fire`,
    async () => (await alertOf(machine, name))?.annotations["runbook_url"],
    deadlineMs,
  );
}

/** Waits until an alert fires no more. */
export async function resolved(machine: Machine, name: string, deadlineMs = 120_000): Promise<void> {
  await eventually(
    `${name} to be resolved`,
    async () => ((await alertOf(machine, name)) === undefined ? true : null),
    deadlineMs,
  );
}

interface FiringAlert {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

async function alertOf({ prometheus }: Machine, name: string): Promise<FiringAlert | undefined> {
  const { alerts } = await prometheus.get<{ alerts: FiringAlert[] }>("alerts");
  return alerts.find(({ state, labels }) => state === "firing" && labels["alertname"] === name);
}
