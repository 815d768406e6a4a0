import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const LAUNCHER = fileURLToPath(new URL("../../server/bin/mooring.mjs", import.meta.url));

/** The product in a separate process, as its users run it. */
export interface Product {
  readonly process: ChildProcess;
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** Milliseconds from the start of the process to the line that reports that it is ready. */
  readonly readyMs: number;
  bootstrap(org: string): Promise<Bootstrapped>;
  token(credential: { client_id: string; client_secret: string }): Promise<string>;
  stop(): Promise<void>;
}

export interface Bootstrapped {
  readonly credential: { readonly client_id: string; readonly client_secret: string };
  readonly s3: {
    readonly access_key_id: string;
    readonly secret_access_key: string;
    readonly region: string;
    readonly bucket: string;
  };
  readonly webhook: { readonly id: string; readonly url: string };
  readonly owner: { readonly email: string; readonly setup_url: string | null };
}

const OPEN_LIMITS = ["--log-level", "error", "--rate-limit-per-second", "1000000", "--rate-limit-burst", "10000000"];

export async function startProduct(
  options: {
    dataDir?: string;
    keepData?: boolean;
    metricsListen?: string;
    flags?: readonly string[];
    /** A launcher of another checkout. */
    launcher?: string;
  } = {},
): Promise<Product> {
  const launcher = options.launcher ?? LAUNCHER;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "mooring-bench-"));
  const listen = ["--listen", "127.0.0.1:0", "--s3-listen", "127.0.0.1:0"];
  const metrics = ["--metrics-listen", options.metricsListen ?? "off"];
  const args = [
    launcher,
    "serve",
    "--data-dir",
    dataDir,
    ...listen,
    ...metrics,
    ...OPEN_LIMITS,
    ...(options.flags ?? []),
  ];
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"], env: plainEnvironment() });
  const url = await readyUrl(child);
  const { hostname, port } = new URL(url);
  return {
    process: child,
    url,
    host: hostname,
    port: Number(port),
    dataDir,
    readyMs: performance.now() - started,
    bootstrap: (org) => bootstrap(launcher, dataDir, org),
    token: (credential) => token(url, credential),
    stop: async () => {
      const exited = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await exited;
      if (options.keepData !== true) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Leaves out variables of the product, so that only the arguments count. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("MOORING_")));
}

async function readyUrl(child: ChildProcess): Promise<string> {
  let text = "";
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the product ended with ${code}`)));
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const found = /portal\s+(http:\/\/\S+)/.exec(text);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
  });
}

async function bootstrap(launcher: string, dataDir: string, org: string): Promise<Bootstrapped> {
  const args = [
    launcher,
    "bootstrap",
    "--data-dir",
    dataDir,
    "--org",
    org,
    "--project",
    "bench",
    "--app",
    "bench-app",
    "--json",
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: plainEnvironment() });
  return JSON.parse(stdout) as Bootstrapped;
}

async function token(url: string, credential: { client_id: string; client_secret: string }): Promise<string> {
  const body = new URLSearchParams({ grant_type: "client_credentials", ...credential });
  const response = await fetch(`${url}/oauth/token`, { method: "POST", body });
  const answer = (await response.json()) as { access_token?: string };
  if (answer.access_token === undefined) throw new Error(`no token: ${JSON.stringify(answer)}`);
  return answer.access_token;
}

/** Resident memory of a process and its descendants, in bytes (Linux). */
export async function memoryOf(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-e", "-o", "pid=,ppid=,rss="]);
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number, number]);
  const family = new Set([pid]);
  for (let grew = true; grew;) {
    grew = false;
    for (const [child, parent] of rows) {
      if (family.has(parent) && !family.has(child)) {
        family.add(child);
        grew = true;
      }
    }
  }
  return rows.reduce((sum, [child, , kib]) => (family.has(child) ? sum + kib * 1024 : sum), 0);
}
