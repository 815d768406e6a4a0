/** Kills during calls of OTLP/gRPC: every record of a call that was answered with OK is stored. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { grpcClient, logsRequest } from "../fixtures/grpc.ts";
import { newIngestKey } from "../fixtures/ingest-keys.ts";
import { eventually, groupAlive } from "../fixtures/process.ts";
import { startServer, writeLog, type Server } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";

const ROUNDS = 20;
const SENDERS = 6;
const RECORDS = 50;
/** Small, so that compaction runs within every round and kills hit it. */
const SETTINGS = { compaction_rows_bytes: 65_536, compaction_interval_ms: 300 };

test(`${ROUNDS} kills under ${SENDERS} senders`, { timeout: 900_000 }, async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-grpc-kill-"));
  let server = await startServer({ dataDir, settings: SETTINGS });
  try {
    const home = await server.bootstrap();
    const key = await newIngestKey(server, home);
    const acknowledged = new Set<number>();
    let next = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const before = acknowledged.size;
      const sending = Promise.all(
        Array.from({ length: SENDERS }, () => sendUntilKilled(server, key, { take: () => next++, acknowledged })),
      );
      await eventually("calls of this round", () => (acknowledged.size > before + SENDERS ? true : null));
      await delay(Math.random() * 300);
      await server.kill();
      await sending;
      const { pid } = server;
      server = await startServer({ dataDir, settings: SETTINGS });
      await eventually("the children of the killed server to end", () => (groupAlive(pid) ? null : true));
      await compare(server, await server.token(home.credential), acknowledged);
    }
    t.diagnostic(`${acknowledged.size} of ${next} calls were answered`);
    assert.ok(acknowledged.size >= ROUNDS * SENDERS);
  } catch (error) {
    writeLog(server);
    throw error;
  } finally {
    await server.dispose();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

async function sendUntilKilled(
  server: Server,
  token: string,
  calls: { readonly take: () => number; readonly acknowledged: Set<number> },
): Promise<void> {
  const client = grpcClient(server.grpcOrigin);
  try {
    while (!client.session.closed && !client.session.destroyed) {
      const call = calls.take();
      const messages = Array.from({ length: RECORDS }, (_, at) => `${call}:${at}`);
      const { code } = await client.call({ token, message: logsRequest("kill", messages) });
      if (code === 0) calls.acknowledged.add(call);
    }
  } catch {
    // The server was killed during the call.
  } finally {
    client.close();
  }
}

async function compare(server: Server, token: string, acknowledged: ReadonlySet<number>): Promise<void> {
  const sql =
    "SELECT CAST(split_part(message, ':', 1) AS integer) AS call, count(DISTINCT message) AS n FROM logs " +
    "WHERE service = 'kill' GROUP BY 1";
  const stored = new Map((await rows<{ call: number; n: number }>(server, token, sql)).map(({ call, n }) => [call, n]));
  const lost = [...acknowledged].filter((call) => stored.get(call) !== RECORDS);
  assert.deepEqual(lost.slice(0, 20), [], `${lost.length} acknowledged calls are not whole`);
}
