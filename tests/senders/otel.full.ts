/**
 * OpenTelemetry's SDKs of Python and Go, configured by environment variables alone. SQL finds their rows. Then the
 * server is killed while they send, and nothing is lost if it is back within 5 s: their own time limit is 10 s.
 */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { newIngestKey } from "../fixtures/ingest-keys.ts";
import { freePorts } from "../fixtures/ports.ts";
import { startServer, writeLog, type Client, type Server } from "../fixtures/server.ts";
import { startTcpProxy, type TcpProxy } from "../fixtures/tcp-proxy.ts";
import { rows } from "../fixtures/telemetry.ts";
import { install } from "../loggers/logger.ts";
import { startProgram, type LineProgram } from "./line-program.ts";

const GAP_MS_MAX = 5000;
const ROUNDS_MAX = 6;
const directory = mkdtempSync(join(tmpdir(), "mooring-otel-"));
const programs = fileURLToPath(new URL("programs/", import.meta.url));

let server: Server;
let client: Client;
let key: string;
let settings: { listen: string; otlp_grpc_listen: string };
/** The addresses for the SDKs. Their ports stay while the server is away. */
let endpoints: { grpc: string; http: string };
let proxies: readonly TcpProxy[];

before(async () => {
  const [listen = 0, grpc = 0] = await freePorts(2);
  proxies = await Promise.all([listen, grpc].map((port) => startTcpProxy(port, { waitMs: 4 * GAP_MS_MAX })));
  const [http, overGrpc] = proxies.map(({ port }) => `http://127.0.0.1:${port}`);
  endpoints = { http: http ?? "", grpc: overGrpc ?? "" };
  settings = { listen: `127.0.0.1:${listen}`, otlp_grpc_listen: `127.0.0.1:${grpc}` };
  server = await startServer({ dataDir: join(directory, "data"), settings });
  const home = await server.bootstrap();
  client = home.credential;
  key = await newIngestKey(server, home);
});
after(async () => {
  await Promise.all(proxies.map((proxy) => proxy.cut()));
  await server.dispose();
  rmSync(directory, { recursive: true, force: true });
});

interface Sdk {
  readonly name: string;
  /** Installs it. Returns the command. @throws Error when it is not available */
  prepare(home: string): Promise<readonly string[]>;
}

const SDKS: readonly Sdk[] = [
  {
    name: "Python",
    prepare: async (home) => {
      await install("python3", ["-m", "venv", home], home);
      const interpreter = join(home, "bin/python");
      const quiet = ["-q", "--disable-pip-version-check"];
      await install(interpreter, ["-m", "pip", "install", ...quiet, "-r", join(programs, "requirements.txt")], home);
      return [interpreter, join(programs, "otel.py")];
    },
  },
  {
    name: "Go",
    prepare: async (home) => {
      cpSync(join(programs, "otel-go"), home, { recursive: true });
      await install("go", ["build", "-o", "sender", "."], home);
      return [join(home, "sender")];
    },
  },
];

for (const sdk of SDKS) {
  const { name } = sdk;
  describe(name, () => {
    let command: readonly string[] | undefined;
    let reason = "";
    before(async () => {
      const home = join(directory, name);
      mkdirSync(home);
      try {
        command = await sdk.prepare(home);
      } catch (error) {
        reason = `the SDK is not available: ${(error as Error).message.split("\n").slice(0, 4).join(" ")}`;
      }
    });
    for (const protocol of ["grpc", "http/protobuf"]) {
      for (const compression of ["none", "gzip"]) {
        test(`${protocol}, ${compression}`, { timeout: 600_000 }, async (context) => {
          if (command === undefined) return context.skip(reason);
          const program = startProgram(command, environmentOf(protocol, compression, name));
          try {
            await findsItsRows(program, `${name}-${protocol.slice(0, 4)}-${compression}`);
            if (compression !== "gzip") return;
            if (!(await survivesKill(program, `${name}-${protocol.slice(0, 4)}`)))
              context.skip(`no round to judge: the server was never back within ${GAP_MS_MAX} ms`);
          } catch (error) {
            writeLog(server);
            throw error;
          } finally {
            await program.end();
          }
        });
      }
    }
  });
}

function environmentOf(protocol: string, compression: string, name: string): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: protocol === "grpc" ? endpoints.grpc : endpoints.http,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    // Python's exporter for gRPC knows no name for none.
    ...(compression === "none" ? {} : { OTEL_EXPORTER_OTLP_COMPRESSION: compression }),
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${key}`,
    // Milliseconds. Go's first retry is after 2.5 to 7.5 s, and its second one may be after its default limit of 10 s.
    ...(name === "Go" ? { OTEL_EXPORTER_OTLP_TIMEOUT: "30000" } : {}),
    OTEL_SERVICE_NAME: `shop-${name}`,
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
  };
}

async function findsItsRows(program: LineProgram, id: string): Promise<void> {
  const fromMs = Date.now();
  assert.equal(await program.send(id), id);
  const toMs = Date.now();
  const token = await server.token(client);
  const logs = await rows<{ timestamp: string; [name: string]: unknown }>(
    server,
    token,
    "SELECT timestamp, level, severity, message, service, attributes->>'count' AS n, attributes->>'ratio' AS ratio, " +
      "attributes->'tags'->>1 AS tag, attributes->>'scope.name' AS scope, " +
      "attributes->>'resource.deployment.environment.name' AS env FROM logs " +
      "WHERE attributes->>'name' = $1 ORDER BY severity",
    { parameters: [id] },
  );
  const levels = [["debug", 5] as const, ["info", 9] as const, ["error", 17] as const];
  const service = `shop-${id.split("-")[0]}`;
  assert.deepEqual(
    logs.map(({ timestamp: _timestamp, ...row }) => row),
    levels.map(([level, severity]) => ({
      level,
      severity,
      message: `${id} ${level}`,
      service,
      n: "3",
      ratio: "0.5",
      tag: "b",
      scope: "sender",
      env: "test",
    })),
  );
  for (const { timestamp } of logs) assertWithin(timestamp, fromMs, toMs);
  const [span] = await rows<{ timestamp: string; name: string; service: string }>(
    server,
    token,
    "SELECT timestamp, name, service FROM traces WHERE attributes->>'name' = $1",
    { parameters: [id] },
  );
  assert.deepEqual([span?.name, span?.service], [`span ${id}`, service]);
  assertWithin(span?.timestamp ?? "", fromMs, toMs);
  const metrics = await rows(
    server,
    token,
    "SELECT name, value, tags->>'service.name' AS service FROM metrics WHERE tags->>'name' = $1 ORDER BY name",
    { parameters: [id] },
  );
  assert.deepEqual(metrics, [
    { name: "orders", value: 1, service },
    { name: "stock", value: 42.5, service },
  ]);
}

function assertWithin(timestamp: string, fromMs: number, toMs: number): void {
  const ms = Date.parse(timestamp);
  assert.ok(ms >= fromMs - 1 && ms <= toMs + 1, `${timestamp} is not between ${fromMs} and ${toMs}`);
}

/**
 * Kills the server and sends meanwhile. Rounds with a gap of more than 5 s are repeated, and not judged. Returns false
 * if there was no other round.
 */
async function survivesKill(program: LineProgram, id: string): Promise<boolean> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const name = `${id}-killed-${round}`;
    const killedMs = performance.now();
    await server.kill();
    const sent = program.send(name);
    server = await startServer({ dataDir: join(directory, "data"), settings });
    const gapMs = performance.now() - killedMs;
    const answer = await sent;
    const counts = await countsOf(name);
    console.log(`# ${name}: away for ${Math.round(gapMs)} ms, ${answer}, ${JSON.stringify(counts)}`);
    if (gapMs > GAP_MS_MAX) continue;
    assert.equal(answer, name, "the SDK gave up");
    assert.ok(counts.logs >= 3 && counts.traces >= 1 && counts.metrics >= 2, JSON.stringify(counts));
    return true;
  }
  return false;
}

async function countsOf(name: string): Promise<Record<"logs" | "metrics" | "traces", number>> {
  const token = await server.token(client);
  const count = async (table: string, column: string): Promise<number> => {
    const sql = `SELECT count(*) AS n FROM ${table} WHERE ${column}->>'name' = $1`;
    const [row] = await rows<{ n: number }>(server, token, sql, { parameters: [name] });
    return Number(row?.n);
  };
  return {
    logs: await count("logs", "attributes"),
    metrics: await count("metrics", "tags"),
    traces: await count("traces", "attributes"),
  };
}
