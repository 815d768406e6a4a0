/**
 * Kills while messages of syslog arrive over TCP. Nothing acknowledges a message, so the test reads the counter of
 * stored ones: at least these are there after the kill. The rows of a connection are its first messages, each once and
 * none left out, because a connection is read in order.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { newIngestKey } from "../fixtures/ingest-keys.ts";
import { eventually, groupAlive } from "../fixtures/process.ts";
import { startServer, writeLog, type Server } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";

const ROUNDS = 20;
const CONNECTIONS = 4;
const SETTINGS = {
  syslog_tcp_listen: "127.0.0.1:0",
  metrics_listen: "127.0.0.1:0",
  compaction_rows_bytes: 65_536,
  compaction_interval_ms: 300,
};
const LINES_AT_ONCE = 20;

test(`${ROUNDS} kills under ${CONNECTIONS} connections`, { timeout: 900_000 }, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-syslog-kill-"));
  let server = await startServer({ dataDir, settings: SETTINGS });
  try {
    const home = await server.bootstrap();
    const key = await newIngestKey(server, home);
    let all = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const senders = Array.from({ length: CONNECTIONS }, (_, at) => startSender(server, key, `r${round}c${at}`));
      const wanted = 50 + Math.floor(Math.random() * 400);
      let stored = 0;
      await eventually(`${wanted} stored messages`, async () => {
        stored = await storedIn(server);
        return stored >= wanted ? true : null;
      });
      await server.kill();
      const sent = await Promise.all(senders);
      const { pid } = server;
      server = await startServer({ dataDir, settings: SETTINGS });
      await eventually("the children of the killed server to end", () => (groupAlive(pid) ? null : true));
      const there = await compare(server, await server.token(home.credential), { round, sent });
      assert.ok(there >= stored, `round ${round}: ${stored} were stored, ${there} are there`);
      all += there;
    }
    t.diagnostic(`${all} messages were stored`);
  } catch (error) {
    writeLog(server);
    throw error;
  } finally {
    await server.dispose();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** Sends numbered messages until the server is gone. Resolves with the number of written messages. */
function startSender(server: Server, key: string, name: string): Promise<number> {
  const port = Number(/^\s*syslog\s+tcp \S+:(\d+)$/m.exec(server.stdout())?.[1]);
  const socket = connect(port, "127.0.0.1");
  let sent = 0;
  const write = (): void => {
    do {
      let lines = "";
      for (let i = 0; i < LINES_AT_ONCE; i++, sent++)
        lines += `<13>1 - - ${name} - - [token@32473 key="${key}"] ${sent}\n`;
      if (!socket.write(lines)) return;
    } while (!socket.destroyed);
  };
  socket.on("error", () => {});
  socket.once("connect", write);
  socket.on("drain", () => setTimeout(write, 1));
  return new Promise((resolve) => socket.once("close", () => resolve(sent)));
}

async function storedIn(server: Server): Promise<number> {
  const address = /^\s*metrics\s+(\S+)$/m.exec(server.stdout())?.[1] ?? "";
  const text = await (await fetch(address)).text();
  return Number(/^mooring_syslog_messages_total\{transport="tcp",result="stored"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** Returns the number of rows of the round. */
async function compare(
  server: Server,
  token: string,
  { round, sent }: { readonly round: number; readonly sent: readonly number[] },
): Promise<number> {
  const sql =
    "SELECT service, count(*) AS n, count(DISTINCT message) AS different, max(CAST(message AS integer)) AS last FROM logs " +
    `WHERE service LIKE 'r${round}c%' GROUP BY service`;
  const found = await rows<{ service: string; n: number; different: number; last: number }>(server, token, sql);
  for (const { service, n, different, last } of found) {
    assert.deepEqual([different, last], [n, n - 1], `${service}: a message is left out or there twice`);
    assert.ok(n <= (sent[Number(service.split("c")[1])] ?? 0), `${service}: more than was sent`);
  }
  return found.reduce((sum, { n }) => sum + n, 0);
}
