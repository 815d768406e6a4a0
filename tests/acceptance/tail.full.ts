/** The live tail as an EventSource sees it: every entry once, over broken connections and kills. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { refused } from "../fixtures/http.ts";
import { eventually, launch } from "../fixtures/process.ts";
import { showLogs, startServer, type Client, type Server } from "../fixtures/server.ts";
import { follow } from "../fixtures/tail.ts";
import { startTcpProxy } from "../fixtures/tcp-proxy.ts";
import { ingest, ingested, logEntry } from "../fixtures/telemetry.ts";

const directories: string[] = [];
const servers: Server[] = [];

showLogs(() => servers.slice(-1));
// One server for each test, because the connections of all of them together exceed PostgreSQL's limit.
afterEach(async () => {
  for (const server of servers.splice(0)) await server.dispose();
});
after(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

async function start(settings: Record<string, string | number> = {}, dataDir?: string): Promise<Server> {
  const server = await startServer({ settings, ...(dataDir === undefined ? {} : { dataDir }) });
  servers.push(server);
  return server;
}

/**
 * Sends batches one after the other until the test stops it, or the server disconnects. Returns the acknowledged ones.
 */
function writer(server: Server, token: string, name: string): { stop(): Promise<string[]> } {
  const acknowledged: string[] = [];
  let stopped = false;
  const running = (async () => {
    for (let n = 0; !stopped; n++) {
      const messages = Array.from({ length: 1 + (n % 40) }, (_, i) => `${name} ${n}.${i}`);
      const answer = await ingest(
        server,
        token,
        "logs",
        messages.map((text) => logEntry(text)),
      ).catch(() => null);
      if (answer === null) return;
      assert.equal(answer.status, 202, answer.text);
      acknowledged.push(...messages);
      await delay(2);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await running;
      return acknowledged;
    },
  };
}

function assertOnce(shown: readonly string[], sent: readonly string[]): void {
  const there = new Set(shown);
  const lost = sent.filter((message) => !there.has(message));
  assert.deepEqual(lost.slice(0, 5), [], `${lost.length} of ${sent.length} were not shown`);
  assert.equal(there.size, shown.length, "something was shown twice");
}

test("with connections that break under load, every entry is shown once, and none is reported missing", async () => {
  // Compaction runs all the time, so that the log does not keep everything by accident.
  const server = await start({ compaction_rows_bytes: 20_000, compaction_interval_ms: 500 });
  const token = await server.token((await server.bootstrap()).credential);
  const proxy = await startTcpProxy(Number(new URL(server.origin).port));
  const tail = follow(`http://127.0.0.1:${proxy.port}/v1/tail/logs`, () => token);
  try {
    await tail.until("the first connection", () => tail.opened === 1);
    const writers = ["a", "b", "c"].map((name) => writer(server, token, name));
    for (let round = 0; round < 3; round++) {
      const { opened } = tail;
      await delay(400);
      await proxy.cut();
      await delay(100);
      await proxy.restore();
      await tail.until("the next connection", () => tail.opened > opened);
    }
    const sent = (await Promise.all(writers.map((each) => each.stop()))).flat();
    await tail.until("the rest", () => tail.messages.length >= sent.length).catch(() => {});
    assertOnce(tail.messages, sent);
    assert.deepEqual(tail.gaps, []);
    assert.ok(sent.length > 500, `too little load for a result: ${sent.length}`);
  } finally {
    tail.close();
    await proxy.cut();
  }
});

test("after a kill and a new start, the tail continues where the reader stopped", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-tail-"));
  directories.push(dataDir);
  const settings = { compaction_rows_bytes: 20_000, compaction_interval_ms: 500 };
  let server = await start(settings, dataDir);
  const listen = new URL(server.origin).host;
  const token = await server.token((await server.bootstrap()).credential);
  const tail = follow(`${server.origin}/v1/tail/logs`, () => token);
  const sent: string[] = [];
  try {
    await tail.until("the first connection", () => tail.opened === 1);
    for (let round = 0; round < 3; round++) {
      const { opened } = tail;
      const writers = ["a", "b"].map((name) => writer(server, token, `${round}${name}`));
      await delay(300);
      await server.kill();
      for (const each of writers) sent.push(...(await each.stop()));
      server = await start({ ...settings, listen }, dataDir);
      const last = `started ${round}`;
      await ingested(server, token, "logs", [logEntry(last)]);
      sent.push(last);
      await tail.until("the next connection", () => tail.opened > opened);
      await tail.until("the entries sent after the start", () => tail.messages.includes(last));
    }
    // Entries that were flushed but not answered before the kill exist too, also once.
    assertOnce(tail.messages, sent);
    assert.deepEqual(tail.gaps, []);
  } finally {
    tail.close();
  }
});

test("a revoked credential loses its tail within a second", async () => {
  const server = await start();
  const token = await server.token((await server.bootstrap()).credential);
  const made = await server.call<Client & { id: string }>("POST", "/v1/credentials", {
    token,
    json: { name: "reader", scopes: ["telemetry:read"] },
  });
  assert.equal(made.status, 201, made.text);
  const reader = await server.token(made.body);
  const response = await fetch(`${server.origin}/v1/tail/logs`, { headers: { authorization: `Bearer ${reader}` } });
  assert.equal(response.status, 200);
  const body = response.text().then((text) => ({ text, endedAt: performance.now() }));
  await ingested(server, token, "logs", [logEntry("seen")]);
  const revoked = await server.call("DELETE", `/v1/credentials/${made.body.id}`, { token });
  assert.equal(revoked.status, 200, revoked.text);
  const revokedAt = performance.now();
  const { text, endedAt } = await body;
  assert.ok(endedAt - revokedAt < 20_000, `it took ${endedAt - revokedAt} ms`);
  assert.match(text, /event: entry\ndata: \{"timestamp":"2026-11-20T08:00:00Z",.*"message":"seen"/);
  assert.match(
    text,
    /event: end\ndata: \{"code":"invalid_token","detail":"The credential of this token was revoked\."\}\n\n$/,
  );
});

test("entries of a new project are shown at once, and hidden from other readers after it became private", async () => {
  const server = await start();
  const token = await server.token((await server.bootstrap()).credential);
  const tail = follow(`${server.origin}/v1/tail/logs`, () => token);
  try {
    await tail.until("the connection", () => tail.lastId !== "");
    const since = tail.lastId;
    const project = await server.call<{ id: string }>("POST", "/v1/projects", { token, json: { slug: "fresh" } });
    const credential = await server.call<Client>("POST", "/v1/credentials", {
      token,
      json: { name: "writer", project: project.body.id, scopes: ["telemetry:write"] },
    });
    await ingested(server, await server.token(credential.body), "logs", [logEntry("of the project")]);
    await tail.until("the new project's entry", () => tail.messages.includes("of the project"));
    const members = await server.call<{ items: { user_id: string }[] }>("GET", "/v1/members", { token });
    const maintainer = `/v1/projects/${project.body.id}/members/${String(members.body.items[0]?.user_id)}`;
    assert.equal((await server.call("PUT", maintainer, { token, json: { role: "maintainer" } })).status, 200);
    const private_ = { visibility: "private" };
    const hide = await server.call("PATCH", `/v1/projects/${project.body.id}`, { token, json: private_ });
    assert.equal(hide.status, 200, hide.text);
    const again = follow(`${server.origin}/v1/tail/logs?last_event_id=${since}`, () => token);
    await again.until("the connection", () => again.lastId !== "");
    await ingested(server, token, "logs", [logEntry("last")]);
    await again.until("the last entry", () => again.messages.includes("last"));
    assert.deepEqual(again.messages, ["last"]);
    again.close();
  } finally {
    tail.close();
  }
});

test("tails do not delay a stop, and get the reason for their end", async () => {
  const server = await start({ tail_concurrency_organization: 3 });
  const token = await server.token((await server.bootstrap()).credential);
  const headers = { authorization: `Bearer ${token}` };
  const open = await Promise.all(Array.from({ length: 3 }, () => fetch(`${server.origin}/v1/tail/logs`, { headers })));
  const bodies = open.map((response) => response.text());
  refused(await server.call("GET", "/v1/tail/logs", { token }), 429, "quota_exceeded");
  const began = performance.now();
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.ok(performance.now() - began < 20_000, "the stop waited for the tails");
  for (const body of bodies) assert.match(await body, /event: end\ndata: \{"code":"unavailable"/);
});

test("mooring tail prints lines, continues when the server is back, and ends with Ctrl-C", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-tail-"));
  directories.push(dataDir);
  const server = await start({}, dataDir);
  const home = await server.bootstrap();
  const token = await server.token(home.credential);
  const environment = {
    MOORING_CLIENT_ID: home.credential.client_id,
    MOORING_CLIENT_SECRET: home.credential.client_secret,
  };
  const command = launch(["tail", "--url", server.origin, "--level", "warn", "--attribute", "n=1", "card"], {
    environment,
  });
  const send = async (to: Server, message: string, level: string): Promise<void> => {
    await ingested(to, token, "logs", [logEntry(message, { level, service: "shop", attributes: { n: 1 } })]);
  };
  // The command does not report its connection, so the test sends until it shows a line.
  await eventually("the first line", async () => {
    await send(server, "a Card\nrefused", "error");
    return command.stdout() === "" ? null : true;
  });
  await send(server, "a card taken", "info");
  const line = '2026-11-20T08:00:00Z ERROR shop a Card\\nrefused {"n":1}';
  assert.equal(command.stdout().split("\n")[0], line);
  await server.kill();
  const again = await start({ listen: new URL(server.origin).host }, dataDir);
  await send(again, "card after", "fatal");
  await eventually("a line after the start", () => (command.stdout().includes("card after") ? true : null), 30_000);
  assert.doesNotMatch(command.stdout(), /taken/);
  command.child.kill("SIGINT");
  assert.equal((await command.exited).code, 130);
  assert.match(command.stderr(), /trying again/);
});

test("curl reads the tail as well", async () => {
  const server = await start();
  const token = await server.token((await server.bootstrap()).credential);
  const curl = spawn("curl", [
    "-sN",
    `${server.origin}/v1/tail/logs?level=error`,
    "-H",
    `Authorization: Bearer ${token}`,
  ]);
  let text = "";
  curl.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  try {
    await eventually("the beginning", () => (text.includes("event: position") ? true : null));
    await ingested(server, token, "logs", [logEntry("quiet"), logEntry("loud", { level: "error" })]);
    await eventually("the entry", () => (text.includes('"message":"loud"') ? true : null));
    assert.doesNotMatch(text, /quiet/);
  } finally {
    curl.kill();
  }
});
