/**
 * OpenTelemetry's SDKs of Python and Go, configured by the environment variables that the portal shows. SQL finds
 * their rows. Then the server is killed while they send, and nothing is lost if it is back within 5 s: their own time
 * limit is 10 s.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeIngestKey, newIngestKey } from "../fixtures/ingest-keys.ts";
import { decodeJwt } from "../fixtures/jwt.ts";
import { freePorts } from "../fixtures/ports.ts";
import { eventually } from "../fixtures/process.ts";
import { startServer, writeLog, type Bootstrap, type Client, type Server } from "../fixtures/server.ts";
import { startTcpProxy, type TcpProxy } from "../fixtures/tcp-proxy.ts";
import { steppedClock, stepClock } from "../fixtures/stepped-clock.ts";
import { rows } from "../fixtures/telemetry.ts";
import { configurationOf, replaced } from "./agents.ts";
import type { LineProgram } from "./line-program.ts";
import { SDKS, startSdk } from "./otel-sdks.ts";
import { publishedAddresses } from "./place.ts";

const GAP_MS_MAX = 5000;
const ROUNDS_MAX = 6;
const directory = mkdtempSync(join(tmpdir(), "mooring-otel-"));

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

/** The commands of the SDKs that are available. */
const commands = new Map<string, readonly string[]>();

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
        commands.set(name, command);
      } catch (error) {
        reason = `the SDK is not available: ${(error as Error).message.split("\n").slice(0, 4).join(" ")}`;
      }
    });
    for (const protocol of ["grpc", "http/protobuf"]) {
      for (const compression of ["none", "gzip"]) {
        test(`${protocol}, ${compression}`, { timeout: 600_000 }, async (context) => {
          if (command === undefined) return context.skip(reason);
          const file = join(directory, `${name}-${protocol.slice(0, 4)}-${compression}.env`);
          const program = startSdk(command, { name, file, lines: await linesFor(protocol, compression, name) });
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

describe("an hour later, on a server whose clock moves forward", () => {
  const HOUR_MS = 3_600_000;
  let later: Server;
  let home: Bootstrap;
  before(async () => {
    later = await startServer({ environment: steppedClock(HOUR_MS + 60_000) });
    home = await later.bootstrap();
  });
  after(() => later.dispose());

  const nowMs = async (): Promise<number> => 1000 * Number(decodeJwt(await later.token(home.credential)).claims["iat"]);
  async function passHour(): Promise<void> {
    const beforeMs = await nowMs();
    stepClock(later);
    await eventually("an hour to pass", async () => ((await nowMs()) >= beforeMs + HOUR_MS ? true : null));
  }

  for (const { name } of SDKS) {
    for (const protocol of ["grpc", "http/protobuf"]) {
      test(`${name}, ${protocol}: sends without a new configuration, until its key has been rotated and the overlap has ended`, async (context) => {
        const command = commands.get(name);
        if (command === undefined) return context.skip("the SDK is not available");
        const { id, key: secret } = await makeIngestKey(later, home);
        const file = join(directory, `${name}-${protocol.slice(0, 4)}-later.env`);
        const place = { addresses: await publishedAddresses(later), key: secret };
        const lines = configurationOf(agentOf(protocol), place, `shop-${name}`);
        const program = startSdk(command, { name, file, lines });
        const sends = async (what: string): Promise<void> => {
          const line = `${name}-${protocol.slice(0, 4)}-${what}`;
          assert.equal(await program.send(line), line);
          assert.deepEqual(await countsOf(line, later, home.credential), { logs: 3, metrics: 2, traces: 1 });
        };
        try {
          await sends("at first");
          await passHour();
          await sends("after an hour");
          await rotate(later, home, { id, overlapSeconds: (2 * HOUR_MS) / 1000 });
          await sends("after the rotation");
          await passHour();
          await sends("in the overlap");
          await passHour();
          const line = `${name}-${protocol.slice(0, 4)}-after the overlap`;
          await program.send(line);
          assert.deepEqual(await countsOf(line, later, home.credential), { logs: 0, metrics: 0, traces: 0 });
        } finally {
          await program.end();
        }
      });
    }
  }
});

async function rotate(
  on: Server,
  { credential }: Bootstrap,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
): Promise<void> {
  const token = await on.token(credential);
  const json = { overlap_seconds: overlapSeconds };
  const answer = await on.call("POST", `/v1/ingest-keys/${id}/rotate`, { token, json });
  assert.equal(answer.status, 200, answer.text);
}

/** Returns the table's lines for a shell, with the addresses of the proxies; without compression also at the default paths. */
async function linesFor(protocol: string, compression: string, name: string): Promise<string> {
  const published = await publishedAddresses(server);
  assert.ok(published.otlp_grpc_url?.endsWith(settings.otlp_grpc_listen) === true, String(published.otlp_grpc_url));
  const addresses = { ...published, ingest_url: endpoints.http, otlp_grpc_url: endpoints.grpc };
  const lines = configurationOf(agentOf(protocol), { addresses, key }, `shop-${name}`);
  if (compression === "gzip") return lines;
  const plain = replaced(lines, { "export OTEL_EXPORTER_OTLP_COMPRESSION=gzip\n": "" });
  return protocol === "grpc" ? plain : replaced(plain, { [`${endpoints.http}/otlp`]: endpoints.http });
}

function agentOf(protocol: string): string {
  return protocol === "grpc" ? "otel-grpc" : "otel-http";
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

async function countsOf(
  name: string,
  on = server,
  credential = client,
): Promise<Record<"logs" | "metrics" | "traces", number>> {
  const token = await on.token(credential);
  const count = async (table: string, column: string): Promise<number> => {
    const sql = `SELECT count(*) AS n FROM ${table} WHERE ${column}->>'name' = $1`;
    const [row] = await rows<{ n: number }>(on, token, sql, { parameters: [name] });
    return Number(row?.n);
  };
  return {
    logs: await count("logs", "attributes"),
    metrics: await count("metrics", "tags"),
    traces: await count("traces", "attributes"),
  };
}
