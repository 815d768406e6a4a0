import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { bearer, credentialOf, startTestServer } from "#http/testing/host.ts";
import { openTestTelemetry } from "#stores/telemetry/testing/telemetry.ts";
import { createQuerySurface } from "./index.ts";

const LARGE = "SELECT repeat('x', 1000) AS x FROM range(1000000)";

test("an answer that its reader breaks off does not count as sent", async () => {
  const telemetry = await openTestTelemetry();
  const { metadata, store } = telemetry;
  const lines: string[] = [];
  const server = await startTestServer({
    principals: { a: credentialOf("org_a", ["telemetry:read"]) },
    log: pino({ level: "trace" }, { write: (line: string) => void lines.push(line) }),
    mount: (host) =>
      createQuerySurface({
        host,
        metadata,
        store,
        nodeId: "node_1",
        limits: { timeoutMs: 10_000, timeoutMsMax: 20_000, rowsMax: 10_000_000, memoryBytesMax: 2 ** 28 },
      }),
  });
  const until = async (isDone: () => boolean, what: string): Promise<void> => {
    for (const deadline = performance.now() + 20_000; !isDone(); await delay(5))
      assert.ok(performance.now() < deadline, `waited for: ${what}`);
  };
  for (const accept of ["application/json", "text/csv"]) {
    await new Promise<void>((resolve, reject) => {
      const headers = { ...bearer("a"), "content-type": "application/json", accept };
      const sent = request(`${server.url}/v1/query`, { method: "POST", headers }, (answer) => {
        answer.once("data", () => {
          answer.destroy();
          resolve();
        });
      });
      sent.on("error", reject);
      sent.end(JSON.stringify({ sql: LARGE }));
    });
    await until(() => store.health().queriesRunning === 0, "the query to end");
  }
  await delay(0);
  await server.stop();
  await telemetry.close();
  assert.deepEqual(
    lines.filter((line) => /already sent|reply\.sent|ERR_HTTP_HEADERS_SENT/.test(line)),
    [],
  );
});
