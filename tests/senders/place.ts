/** A server that keeps its ports over a kill, for senders that continue to send. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before } from "node:test";
import { promisify } from "node:util";
import type { AgentAddresses } from "@mooring/contract/agents";
import { freePorts } from "../fixtures/ports.ts";
import { eventually } from "../fixtures/process.ts";
import { startServer, type Bootstrap, type Server } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";

export interface SenderPlace {
  /** The same over kills. */
  readonly origin: string;
  /** The addresses that the server publishes. */
  readonly addresses: AgentAddresses;
  /** An ingest key of the project. */
  readonly key: string;
  readonly directory: string;
  /** Kills the server and starts it again on its ports. */
  restart(): Promise<void>;
  sql(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Waits until the statement returns this many rows, and returns them. @throws Error when it never does */
  find(text: string, count: number): Promise<readonly Record<string, unknown>[]>;
}

/** Starts a server for the tests of a file. */
export function useSenders(): SenderPlace {
  let server: Server;
  let home: Bootstrap;
  let token = "";
  let key = "";
  let addresses: AgentAddresses | undefined;
  let settings = {};
  const directory = mkdtempSync(join(tmpdir(), "mooring-senders-"));
  const dataDir = join(directory, "data");
  const start = async (): Promise<void> => {
    server = await startServer({ dataDir, settings });
  };
  before(async () => {
    const [port, grpcPort] = await freePorts(2);
    const [listen, otlp_grpc_listen] = [`127.0.0.1:${port}`, `127.0.0.1:${grpcPort}`];
    settings = { listen, otlp_grpc_listen, rate_limit_per_second: 10_000, rate_limit_burst: 10_000 };
    await start();
    home = await server.bootstrap();
    token = await server.token(home.credential);
    const made = await server.call<{ key: string }>("POST", "/v1/ingest-keys", {
      token,
      json: { name: "sender", project: home.project.slug },
    });
    assert.equal(made.status, 201, made.text);
    ({ key } = made.body);
    addresses = await publishedAddresses(server);
  });
  afterEach((context) => {
    if ("passed" in context && context.passed === false) console.log(server.stderr().slice(-4000));
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
    directory,
    sql,
    restart: async () => {
      await server.kill();
      await start();
    },
    find: async (text, count) => {
      let found: readonly Record<string, unknown>[] = [];
      return eventually(`${count} rows of ${text}`, async () => {
        found = await sql(text);
        return found.length >= count ? found : null;
      }).catch((error: unknown) => {
        throw new Error(`found ${found.length} rows: ${JSON.stringify(found).slice(0, 1000)}`, { cause: error });
      });
    },
  };
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
