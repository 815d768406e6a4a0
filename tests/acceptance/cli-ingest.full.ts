/** `mooring ingest`: nothing lost and nothing doubled on a bad connection, bad lines named, large inputs streamed. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { eventually, launch, mooring, type Outcome } from "../fixtures/process.ts";
import { useServer } from "../fixtures/server.ts";

const shared = useServer();
let directory = "";
before(() => {
  directory = mkdtempSync(join(tmpdir(), "mooring-cli-ingest-"));
});
after(() => rmSync(directory, { recursive: true, force: true }));

function credentialsFile(ingestUrl?: string): string {
  const addresses = { ...shared.home.addresses, ...(ingestUrl === undefined ? {} : { ingest_url: ingestUrl }) };
  const file = join(directory, `credentials-${Math.random()}.json`);
  writeFileSync(file, JSON.stringify({ ...shared.home, addresses }), { mode: 0o600 });
  return file;
}

async function ingest(words: readonly string[], options: { input?: string; url?: string } = {}): Promise<Outcome> {
  const { input, url } = options;
  return mooring(["ingest", ...words, "--credentials", credentialsFile(url)], {
    ...(input === undefined ? {} : { input }),
    deadlineMs: 60_000,
  });
}

async function rows(sql: string): Promise<Record<string, unknown>[]> {
  const token = shared.token;
  const answer = await shared.server.call<{ rows: Record<string, unknown>[] }>("POST", "/v1/query", {
    token,
    json: { sql },
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.rows;
}

function entry(message: string, service: string): string {
  return JSON.stringify({ timestamp: "2026-11-20T08:00:00Z", level: "info", message, service });
}

function entries(count: number, service: string): string {
  return Array.from({ length: count }, (_, i) => entry(`message ${i}`, service)).join("\n");
}

async function countOf(service: string): Promise<{ all: unknown; distinct: unknown }> {
  const [row] = await rows(
    `SELECT count(*) AS "all", count(DISTINCT message) AS "distinct" FROM logs WHERE service = '${service}'`,
  );
  return { all: row?.["all"], distinct: row?.["distinct"] };
}

/** The fault of the n-th request. */
type Fault = "pass" | "lose the answer" | "lose the request" | 429 | 503;

/** A bad connection in front of the real server. */
async function badConnection(faults: readonly Fault[]): Promise<{ url: string; requests(): number; close(): void }> {
  let count = 0;
  const proxy = createServer((request, response) => {
    const fault = faults[count++] ?? "pass";
    void passOn(request, response, fault);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const close = (): void => {
    proxy.close();
    proxy.closeAllConnections();
  };
  return { url, requests: () => count, close };
}

async function passOn(request: IncomingMessage, response: ServerResponse, fault: Fault): Promise<void> {
  if (fault === "lose the request") return void request.socket.destroy();
  const body = Buffer.concat(await request.toArray());
  if (typeof fault === "number") return void response.writeHead(fault, { "retry-after": "1" }).end();
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !["host", "connection", "content-length"].includes(name)),
  );
  const answer = await fetch(shared.server.origin + (request.url ?? ""), {
    method: "POST",
    headers: headers as Record<string, string>,
    body,
  });
  const text = await answer.text();
  if (fault === "lose the answer") return void request.socket.destroy();
  response.writeHead(answer.status, { "content-type": "application/json" }).end(text);
}

test("--project names the project of the entries", async () => {
  const { id, slug } = shared.home.project;
  const sent = await ingest(["logs", "-", "--project", slug], { input: entry("a message", "routed") });
  assert.equal(sent.code, 0, sent.stderr);
  assert.deepEqual(await rows("SELECT project_id FROM logs WHERE service = 'routed'"), [{ project_id: id }]);
  const absent = await ingest(["logs", "-", "--project", "nowhere"], { input: entry("a message", "routed") });
  assert.match(absent.stderr, /project does not exist/);
});

describe("a bad connection", () => {
  test("after lost requests, lost answers, 429 and 503 everything is there, without duplicates", async () => {
    const faults: Fault[] = [
      "lose the answer",
      "lose the request",
      503,
      "pass",
      429,
      "lose the answer",
      "lose the answer",
    ];
    const connection = await badConnection(faults);
    try {
      const outcome = await ingest(["logs", "-", "--parallel", "2", "--json"], {
        input: entries(4500, "bad-line"),
        url: connection.url,
      });
      assert.equal(outcome.code, 0, outcome.stderr);
      assert.equal((JSON.parse(outcome.stdout) as { accepted: number }).accepted, 4500);
      assert.deepEqual(await countOf("bad-line"), { all: 4500, distinct: 4500 });
      assert.equal(connection.requests(), 5 + 6);
      assert.match(outcome.stderr, /retrying in/);
    } finally {
      connection.close();
    }
  });

  test("ingest waits for Retry-After", async () => {
    const connection = await badConnection([503]);
    try {
      const outcome = await ingest(["logs", "-", "--json"], { input: entry("x", "patient"), url: connection.url });
      assert.ok((JSON.parse(outcome.stdout) as { elapsed_ms: number }).elapsed_ms >= 1000, outcome.stdout);
    } finally {
      connection.close();
    }
  });

  test("if the server stays unavailable, it exits with 4 after the time of --retry-for", async () => {
    const outcome = await ingest(["logs", "-", "--retry-for", "1"], {
      input: entry("x", "away"),
      url: "http://127.0.0.1:1",
    });
    assert.equal(outcome.code, 4);
    assert.match(outcome.stderr, /cannot send logs: http:\/\/127\.0\.0\.1:1 can't be reached/);
  });
});

describe("bad lines", () => {
  const input = [
    entry("good 1", "mixed"),
    "{",
    entry("good 2", "mixed"),
    '{"level":"info","message":"no time"}',
    "",
    "[]",
    entry("good 3", "mixed"),
  ].join("\n");

  test("are named by their number, by the command and the server, and counted; the others are accepted", async () => {
    const outcome = await ingest(["logs", "-"], { input });
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(outcome.stderr, /^stdin:2: not JSON/m);
    assert.match(outcome.stderr, /^stdin:4: .*timestamp/m);
    assert.match(outcome.stderr, /^stdin:6: not a JSON object/m);
    assert.match(outcome.stdout, /^3 logs accepted from 7 lines, 3 left out/);
    assert.deepEqual(await countOf("mixed"), { all: 3, distinct: 3 });
  });

  test("with --strict the first one ends it", async () => {
    const here = await ingest(["logs", "-", "--strict"], { input: input.replaceAll("mixed", "strict") });
    assert.equal(here.code, 1);
    assert.match(here.stderr, /cannot send stdin:2: not JSON/);
    const there = await ingest(["logs", "-", "--strict"], { input: '\n{"level":"info","message":"x"}' });
    assert.equal(there.code, 1);
    assert.match(there.stderr, /The lines are: 2 \(.*timestamp/);
    assert.deepEqual(await countOf("strict"), { all: 0, distinct: 0 });
  });

  test("an input of only bad lines is a failure, an empty input is not", async () => {
    assert.equal((await ingest(["logs", "-"], { input: "{\n{" })).code, 1);
    const nothing = await ingest(["logs", "-"], { input: "" });
    assert.equal(nothing.code, 0);
    assert.match(nothing.stdout, /^0 logs accepted from 0 lines/);
  });

  test("a line over the limit of an entry is left out, the others are sent", async () => {
    const long = entry("x".repeat(262_144), "long");
    const outcome = await ingest(["logs", "-"], { input: `${long}\n${entry("short", "long")}` });
    assert.match(outcome.stderr, /^stdin:1: longer than an entry may be/m);
    assert.deepEqual(await countOf("long"), { all: 1, distinct: 1 });
  });

  test("many bad lines are counted, and not all shown", async () => {
    const outcome = await ingest(["logs", "-"], { input: "{\n".repeat(500) + entry("x", "many") });
    assert.equal(outcome.stderr.match(/^stdin:/gm)?.length, 20);
    assert.match(outcome.stderr, /and 480 more lines were left out/);
  });
});

describe("sending", () => {
  test("plain lines with their fields, the last without a newline", async () => {
    const file = join(directory, "auth.log");
    writeFileSync(
      file,
      "Dec  1 06:55:48 web1 sshd[9]: Failed password for root from 192.0.2.9 port 38926 ssh2\r\nDec  1 06:55:49 web1 sshd[9]: bye",
    );
    const words = [
      "logs",
      file,
      "--format",
      "text",
      "--year",
      "2025",
      "--timezone",
      "+01:00",
      "--attribute",
      "source=auth",
    ];
    const outcome = await ingest(words);
    assert.equal(outcome.code, 0, outcome.stderr);
    const found = await rows(
      "SELECT timestamp, message, attributes FROM logs WHERE service = 'sshd' ORDER BY timestamp",
    );
    assert.equal(found.length, 2);
    assert.equal(found[0]?.["timestamp"], "2025-12-01T05:55:48Z");
    assert.deepEqual(found[0]?.["attributes"], {
      source: "auth",
      host: "web1",
      program: "sshd",
      pid: 9,
      client_ip: "192.0.2.9",
      client_port: 38926,
      user: "root",
    });
  });

  test("metrics and traces, and a packed file", async () => {
    const timestamp = "2026-11-20T08:00:00Z";
    const metrics = join(directory, "metrics.ndjson.gz");
    writeFileSync(metrics, gzipSync(`${JSON.stringify({ timestamp, name: "cli.load", value: 1.5 })}\n`));
    assert.equal((await ingest(["metrics", metrics, "--attribute", "region=eu"])).code, 0);
    assert.deepEqual(await rows("SELECT value, tags['region'] AS region FROM metrics WHERE name = 'cli.load'"), [
      { value: 1.5, region: "eu" },
    ]);
    const span = { timestamp, trace_id: "t1", span_id: "s1", name: "cli", duration_ms: 3, status: "ok" };
    assert.equal((await ingest(["traces", "-", "--service", "web"], { input: JSON.stringify(span) })).code, 0);
    assert.deepEqual(await rows("SELECT service FROM traces WHERE name = 'cli'"), [{ service: "web" }]);
  });

  test("a stream that pauses stays current: entries are sent before a batch is full", async () => {
    const running = launch([
      "ingest",
      "logs",
      "-",
      "--format",
      "text",
      "--service",
      "tail",
      "--credentials",
      credentialsFile(),
    ]);
    running.child.stdin?.write("2026-11-20T08:00:00Z INFO first\n");
    await eventually(
      "the line to be there",
      async () => ((await countOf("tail")).all === 1 ? true : null),
      20_000,
      200,
    );
    running.child.stdin?.write("2026-11-20T08:00:01Z INFO second\n");
    running.child.kill("SIGINT");
    assert.deepEqual(await running.exited, { code: 130, signal: null });
    assert.match(running.stdout(), /logs accepted from/);
  });

  test("200,000 lines stream through a process that stays small", async () => {
    const file = join(directory, "large.ndjson");
    const chunk = `${Array.from({ length: 200 }, (_, i) => entry(`${i} ${"x".repeat(300)}`, "large")).join("\n")}\n`;
    writeFileSync(file, chunk.repeat(1000));
    const environment = { NODE_OPTIONS: "--max-old-space-size=64" };
    const outcome = await mooring(["ingest", "logs", file, "--json", "--credentials", credentialsFile()], {
      environment,
      deadlineMs: 120_000,
    });
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.equal((JSON.parse(outcome.stdout) as { accepted: number }).accepted, 200_000);
    assert.equal((await countOf("large")).all, 200_000);
  });

  test("a missing file", async () => {
    const outcome = await ingest(["logs", join(directory, "none.log")]);
    assert.equal(outcome.code, 1);
    assert.match(outcome.stderr, /cannot read .*none\.log: ENOENT/);
  });
});

test("messages about a file's lines can't send control characters to the terminal", async () => {
  const escape = "\u001b]0;owned\u0007\u001b[2J";
  const named = { timestamp: "2026-11-20T08:00:00Z", level: "info", message: "m", [escape]: 1 };
  const file = join(directory, "hostile.ndjson");
  writeFileSync(file, `${escape} not JSON\n${JSON.stringify(named)}\n`);
  for (const words of [[], ["--strict"]]) {
    const { stderr, code } = await ingest(["logs", file, ...words]);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /not JSON/);
    assert.ok(!stderr.includes("\u001b") && !stderr.includes("\u0007"), JSON.stringify(stderr));
  }
});
