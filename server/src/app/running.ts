import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { get as httpGet, type IncomingMessage } from "node:http";
import { get as httpsGet } from "node:https";
import { join } from "node:path";
import type { Addresses } from "./addresses.ts";

/** The facts that a running server writes to its data directory, so that commands find its real addresses. */
export interface RunningServer {
  readonly addresses: Addresses;
  /** `host:port` as bound. */
  readonly listen: string;
  /** True: `listen` requires TLS. */
  readonly tls?: boolean;
  readonly pid: number;
  readonly started_at: string;
}

const PROBE_TIMEOUT_MS = 2000;

function pathIn(dataDir: string): string {
  return join(dataDir, "server.json");
}

/** Writes the file under another name first, so that no reader sees an incomplete file. */
export function announceServer(dataDir: string, server: RunningServer): void {
  const path = pathIn(dataDir);
  const temporary = `${path}.${server.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify(server, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}

/** Removes the file if this process wrote it. */
export function withdrawServer(dataDir: string, pid: number): void {
  try {
    if (announced(dataDir)?.pid === pid) rmSync(pathIn(dataDir), { force: true });
  } catch {
    // A disk that takes no writes must not prevent the stop. Readers ignore the file of a process that has ended.
  }
}

/**
 * Returns the server that runs on this data directory now. Null when none runs, even if a crashed one left its file.
 */
export async function findRunningServer(dataDir: string): Promise<RunningServer | null> {
  const server = announced(dataDir);
  if (server === null || !isAlive(server.pid)) return null;
  // The process id may belong to another process by now. In containers this is common.
  return (await answers(server)) ? server : null;
}

function announced(dataDir: string): RunningServer | null {
  try {
    const value = JSON.parse(readFileSync(pathIn(dataDir), "utf8")) as Partial<RunningServer> | null;
    const whole =
      typeof value?.pid === "number" && typeof value.listen === "string" && typeof value.addresses === "object";
    return whole ? (value as RunningServer) : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // The process exists and belongs to another user.
  }
}

/** Returns true after a timeout, too, because a busy server may answer late. */
async function answers(server: RunningServer): Promise<boolean> {
  try {
    await probe(server, "/livez", PROBE_TIMEOUT_MS);
    return true;
  } catch (error) {
    return (error as Error).name === "TimeoutError";
  }
}

/**
 * Sends a health request to the address that a server listens on. The certificate is not checked, because it names the
 * public addresses and not this one. The request and its answer contain no secret.
 */
export async function probe(
  { listen, tls }: Pick<RunningServer, "listen" | "tls">,
  path: string,
  timeoutMs: number,
): Promise<{ readonly status: number; readonly text: string }> {
  const options = { signal: AbortSignal.timeout(timeoutMs), agent: false as const };
  const address = `${reachable(listen)}${path}`;
  const request =
    tls === true
      ? httpsGet(`https://${address}`, { ...options, rejectUnauthorized: false })
      : httpGet(`http://${address}`, options);
  try {
    const [response] = (await once(request, "response")) as [IncomingMessage];
    let text = "";
    for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
    return { status: response.statusCode ?? 0, text };
  } catch (error) {
    throw options.signal.aborted ? options.signal.reason : error;
  }
}

/** Replaces "every address" by the loopback address, which clients can connect to. */
export function reachable(listen: string): string {
  return listen.replace(/^0\.0\.0\.0:/, "127.0.0.1:").replace(/^\[::\]:/, "[::1]:");
}
