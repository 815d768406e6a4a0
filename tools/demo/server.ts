import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface Addresses {
  readonly identity_url: string;
  readonly ingest_url: string;
  readonly query_url: string;
  readonly portal_url: string;
  readonly registry_domain: string;
}

export interface DemoServer {
  readonly dataDir: string;
  readonly addresses: Addresses;
  /** True when this tour started the server and must stop it. */
  readonly own: boolean;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;

/**
 * Returns the server that runs on a data directory. If there is none, starts one on free ports, in a temporary
 * directory that is deleted with it.
 */
export async function findOrStartServer(dataDir: string, launcher: string): Promise<DemoServer> {
  const addresses = await addressesIn(dataDir);
  if (addresses !== null) return { dataDir, addresses, own: false, stop: async () => {} };
  return startServer(launcher);
}

async function startServer(launcher: string): Promise<DemoServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-demo-"));
  const args = [
    launcher,
    "serve",
    "--data-dir",
    dataDir,
    "--listen",
    "127.0.0.1:0",
    "--metrics-listen",
    "off",
    "--log-level",
    "error",
  ];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const stop = async (): Promise<void> => {
    await ended(server);
    rmSync(dataDir, { recursive: true, force: true });
  };
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline && server.exitCode === null) {
    const addresses = await addressesIn(dataDir);
    if (addresses !== null) return { dataDir, addresses, own: true, stop };
    await delay(50);
  }
  await stop();
  throw new Error("cannot start a server for the tour; its output is above");
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, "exit");
  server.kill("SIGTERM");
  await exit;
}

/** Reads the file that a running server keeps in its data directory; null when no server answers. */
async function addressesIn(dataDir: string): Promise<Addresses | null> {
  try {
    const file = JSON.parse(readFileSync(join(dataDir, "server.json"), "utf8")) as { addresses: Addresses };
    const response = await fetch(`${file.addresses.portal_url}/livez`, { signal: AbortSignal.timeout(2000) });
    return response.ok ? file.addresses : null;
  } catch {
    return null;
  }
}
