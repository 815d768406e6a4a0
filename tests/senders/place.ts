/** A server that keeps its ports over a kill, for senders that continue to send. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before } from "node:test";
import { promisify } from "node:util";
import type { AgentAddresses } from "@mooring/contract/agents";
import { newIngestKey } from "../fixtures/ingest-keys.ts";
import { freePorts } from "../fixtures/ports.ts";
import { eventually } from "../fixtures/process.ts";
import { startServer, writeLog, type Bootstrap, type Server, type Settings } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";

export interface SenderPlace {
  /** The same over kills. */
  readonly origin: string;
  /** The addresses that the server publishes. */
  readonly addresses: AgentAddresses;
  /** An ingest key of the project. */
  readonly key: string;
  readonly directory: string;
  /** The ports for HTTP and gRPC. */
  readonly ports: readonly number[];
  /** Kills the server, waits for `whileAway`, and starts the server again on its ports. */
  restart(whileAway?: () => Promise<void>): Promise<void>;
  sql(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Waits until the statement returns this many rows, and returns them. @throws Error when it never does */
  find(text: string, count: number): Promise<readonly Record<string, unknown>[]>;
}

export interface PlaceOptions {
  readonly settings?: Settings;
  /** Also takes syslog over each transport, and gives messages without a key to the project. */
  readonly hasSyslog?: boolean;
}

const RELAXED: Settings = { rate_limit_per_second: 10_000, rate_limit_burst: 10_000 };
const LISTENERS = ["listen", "otlp_grpc_listen"];
const SYSLOG_LISTENERS = ["syslog_tcp_listen", "syslog_udp_listen", "syslog_tls_listen"];

/** Starts a server for the tests of a file. */
export function useSenders(options: PlaceOptions = {}): SenderPlace {
  let server: Server;
  let home: Bootstrap;
  let token = "";
  let key = "";
  let addresses: AgentAddresses | undefined;
  let ports: number[] = [];
  let settings: Settings = {};
  let environment: Readonly<Record<string, string>> = {};
  const directory = mkdtempSync(join(tmpdir(), "mooring-senders-"));
  const dataDir = join(directory, "data");
  const start = async (): Promise<void> => {
    server = await startServer({ dataDir, settings, environment });
  };
  const restart = async (whileAway?: () => Promise<void>): Promise<void> => {
    await server.kill();
    await whileAway?.();
    await start();
  };
  before(async () => {
    const names = options.hasSyslog === true ? [...LISTENERS, ...SYSLOG_LISTENERS] : LISTENERS;
    ports = await freePorts(names.length);
    const listening = Object.fromEntries(names.map((name, i) => [name, `127.0.0.1:${ports[i]}`]));
    settings = { ...RELAXED, ...options.settings, ...listening };
    await start();
    home = await server.bootstrap();
    token = await server.token(home.credential);
    key = await newIngestKey(server, home);
    if (options.hasSyslog === true) {
      const keyFile = join(directory, "key");
      writeFileSync(keyFile, key, { mode: 0o600 });
      environment = { MOORING_SYSLOG_KEY_FILE: keyFile };
      await restart();
    }
    addresses = await publishedAddresses(server);
  });
  afterEach((context) => {
    if ("passed" in context && context.passed === false) writeLog(server);
  });
  after(async () => {
    await server.dispose();
    rmSync(directory, { recursive: true, force: true });
  });
  const sql = (text: string): Promise<readonly Record<string, unknown>[]> => rows(server, token, text);
  return {
    get origin() {
      return server.origin;
    },
    get key() {
      return key;
    },
    get addresses() {
      assert.ok(addresses !== undefined);
      return addresses;
    },
    get ports() {
      return ports.slice(0, LISTENERS.length);
    },
    directory,
    sql,
    restart,
    find: (text, count) => findRows(sql, text, count),
  };
}

async function findRows(sql: SenderPlace["sql"], text: string, count: number): ReturnType<SenderPlace["find"]> {
  let found: readonly Record<string, unknown>[] = [];
  return eventually(`${count} rows of ${text}`, async () => {
    found = await sql(text);
    return found.length >= count ? found : null;
  }).catch((error: unknown) => {
    throw new Error(`found ${found.length} rows: ${JSON.stringify(found).slice(0, 1000)}`, { cause: error });
  });
}

/** Returns the addresses for agents, as the portal reads them. */
export async function publishedAddresses(server: Server): Promise<AgentAddresses> {
  const { status, text, body } = await server.call<AgentAddresses>("GET", "/.well-known/mooring");
  assert.equal(status, 200, text);
  return body;
}

const PROGRAM_DEADLINE_MS = 60_000;

/** Runs a program to its end. Returns its output. @throws Error with the output when it fails */
export async function run(
  command: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = {
    timeout: PROGRAM_DEADLINE_MS,
    env: { PATH: process.env["PATH"] ?? "", HOME: tmpdir(), ...environment },
  };
  try {
    const { stdout } = await promisify(execFile)(command, [...words], options);
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} failed: ${stdout}${stderr}`, { cause: error });
  }
}

/** The times of rows as milliseconds since the epoch. */
function timesOf(found: readonly Record<string, unknown>[]): number[] {
  return found.map(({ timestamp }) => Date.parse(String(timestamp)));
}

const MINUTE_MS = 60_000;

/** Fails unless the times are within a minute of now. */
export function assertNow(found: readonly Record<string, unknown>[]): void {
  for (const time of timesOf(found)) assert.ok(Math.abs(time - Date.now()) < MINUTE_MS, new Date(time).toISOString());
}
