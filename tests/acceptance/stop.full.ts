/** The stop of the server: running requests are finished in time, and nothing is left behind. Then the next start. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, get } from "node:http";
import { once } from "node:events";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { rawRequest, type RawAnswer } from "../fixtures/http.ts";
import { eventually, groupAlive } from "../fixtures/process.ts";
import { showLogs, startServer, type Server, type ServerOptions } from "../fixtures/server.ts";
import { EXAMPLES, ingested, logEntry, rows } from "../fixtures/telemetry.ts";

const directories: string[] = [];
const servers: Server[] = [];

showLogs(() => servers.slice(-1));
after(async () => {
  for (const server of servers) await server.dispose();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function directory(): string {
  const made = mkdtempSync(join(tmpdir(), "mooring-life-"));
  directories.push(made);
  return made;
}

async function start(options: ServerOptions = {}): Promise<Server> {
  const server = await startServer(options);
  servers.push(server);
  return server;
}

interface SlowUpload {
  readonly answer: Promise<RawAnswer>;
  finish(): void;
}

/** Sends an ingest whose second half waits until the test continues it. Resolves when the server has begun to read it. */
async function slowUpload(server: Server, token: string, message: string): Promise<SlowUpload> {
  const body = JSON.stringify({ entries: [logEntry(message)] });
  const started = Promise.withResolvers<void>();
  let finish = (): void => {};
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": body.length,
    expect: "100-continue",
  };
  const answer = rawRequest(server.origin, { method: "POST", path: "/v1/ingest/logs", headers }, (request) => {
    request.flushHeaders();
    request.on("continue", () => {
      request.write(body.slice(0, 20));
      started.resolve();
    });
    finish = () => void request.end(body.slice(20));
  });
  answer.catch(started.reject);
  await started.promise;
  return { answer, finish: () => finish() };
}

test("SIGTERM finishes a running upload, closes idle connections and exits 0; the next start has the row", async () => {
  const dataDir = directory();
  const server = await start({ dataDir });
  const home = await server.bootstrap();
  const token = await server.token(home.credential);
  const agent = new Agent({ keepAlive: true });
  const idle = get(`${server.origin}/livez`, { agent }, (response) => response.resume());
  await once(idle, "close");
  const upload = await slowUpload(server, token, "in flight");
  const stopping = performance.now();
  const stopped = server.stop();
  await eventually("the server to begin its stop", () => (server.stdout().includes("SIGTERM") ? true : null));
  assert.ok(groupAlive(server.pid), "the server waits for the upload");
  upload.finish();
  const answer = await upload.answer;
  assert.equal(answer.status, 202, answer.text);
  assert.deepEqual(await stopped, { code: 0, signal: null });
  assert.ok(performance.now() - stopping < 30_000);
  agent.destroy();
  assert.equal(existsSync(join(dataDir, "server.json")), false, "the file of the running server is deleted");

  const second = await start({ dataDir, settings: { listen: new URL(server.origin).host } });
  assert.deepEqual(
    await rows(second, token, "select message from logs"),
    [{ message: "in flight" }],
    "the old token still works",
  );
  assert.equal((await second.stop()).code, 0);
});

// benchmarks/startup measures the time of a start. Here it only must not hang.
test("a second start is ready soon, and has the earlier data", async () => {
  const dataDir = directory();
  const first = await start({ dataDir });
  const { credential } = await first.bootstrap();
  const entries = Array.from({ length: 1000 }, () => logEntry("kept"));
  await ingested(first, await first.token(credential), "logs", entries);
  await first.stop();
  const again = await start({ dataDir });
  assert.ok(again.readyAfterMs < 30_000, `${Math.round(again.readyAfterMs)} ms`);
  const kept = await rows(again, await again.token(credential), "SELECT count(*) AS n FROM logs");
  assert.deepEqual(kept, [{ n: 1000 }]);
  await again.stop();
});

test("a stop does not wait forever: an endless upload is cut off", async () => {
  const server = await start({ settings: { stop_timeout_ms: 1000 } });
  const token = await server.token((await server.bootstrap()).credential);
  const upload = await slowUpload(server, token, "never finished");
  const cut = assert.rejects(upload.answer);
  const startedMs = performance.now();
  const exit = await server.stop();
  assert.equal(exit.code, 0);
  assert.ok(performance.now() - startedMs < 40_000);
  await cut;
});

test("a part that never stops is left behind after its deadline, and the process ends with 1", async () => {
  const preload = fileURLToPath(new URL("../fixtures/hang-stop.mjs", import.meta.url));
  const server = await start({
    settings: { stop_timeout_ms: 1000 },
    environment: { NODE_OPTIONS: `--import ${preload}` },
    database: "sqlite",
  });
  const { credential } = await server.bootstrap();
  const token = await server.token(credential);
  await ingested(server, token, "logs", [EXAMPLES.logs]);
  const startedMs = performance.now();
  const exit = await server.stop();
  const lines = server
    .stderr()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { msg: string; level: string; phase?: string; ms?: number });
  assert.equal(exit.code, 1, server.stderr());
  assert.ok(performance.now() - startedMs < 30_000);
  const phasesOf = (msg: string) => lines.filter((line) => line.msg === msg).map(({ phase }) => phase);
  const left = phasesOf("a part did not stop in time and is left behind");
  assert.deepEqual(left, ["metadata"]);
  const [first] = phasesOf("stopping a part");
  assert.equal(first, "requests");
  assert.ok(phasesOf("stopped a part").length > 5);
  assert.equal(lines.filter(({ level }) => level === "fatal").length, 1);
  const again = await start({ dataDir: server.dataDir });
  assert.equal((await rows(again, await again.token(credential), "select count(*) as n from logs"))[0]?.["n"], 1);
});

test("SIGINT stops as well, and a second signal ends at once", async () => {
  const gentle = await start();
  process.kill(gentle.pid, "SIGINT");
  assert.equal((await gentle.exited).code, 0);

  const server = await start();
  const token = await server.token((await server.bootstrap()).credential);
  const upload = await slowUpload(server, token, "never finished");
  const cut = assert.rejects(upload.answer);
  process.kill(server.pid, "SIGTERM");
  await eventually("the server to begin its stop", () => (server.stdout().includes("SIGTERM") ? true : null));
  // Again and again: two signals at one moment may count as one, as npm and a terminal both forward a Ctrl-C.
  let ended = false;
  void server.exited.then(() => (ended = true));
  await eventually("the end after a second signal", () => ended || !isSignalled(server.pid) || null, 5000, 100);
  await cut;
});

test("a stopped or killed server leaves no process behind", async () => {
  for (const end of ["stop", "kill"] as const) {
    const server = await start();
    const token = await server.token((await server.bootstrap()).credential);
    await ingested(server, token, "logs", [EXAMPLES.logs]);
    await rows(server, token, "select 1 as a");
    await server[end]();
    await eventually(`everything to end after ${end}`, () => (groupAlive(server.pid) ? null : true), 5000);
  }
});

/** False: the process has ended, though this process may not have noticed yet. */
function isSignalled(pid: number): boolean {
  try {
    return process.kill(pid, "SIGTERM");
  } catch {
    return false;
  }
}
