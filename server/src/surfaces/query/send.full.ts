import assert from "node:assert/strict";
import { request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { bearer, credentialOf, startTestServer, type TestServer } from "#http/testing/host.ts";
import { openTestTelemetry, type TestTelemetry } from "#stores/telemetry/testing/telemetry.ts";
import { createQuerySurface } from "./index.ts";

const BINARY = ["application/vnd.apache.arrow.stream", "application/vnd.apache.parquet"];

describe("statistics after a result", { concurrency: 1 }, () => {
  let telemetry: TestTelemetry;
  let server: TestServer;

  before(async () => {
    telemetry = await openTestTelemetry();
    const rows = Buffer.from('{"timestamp":"2026-11-20T08:00:00Z","level":"info","message":"one"}\n'.repeat(3));
    await telemetry.store.append({ orgId: "org_a", type: "logs", rows, count: 3 });
    const { metadata, store } = telemetry;
    server = await startTestServer({
      principals: { a: credentialOf("org_a", ["telemetry:read"]) },
      mount: (host) =>
        createQuerySurface({
          host,
          metadata,
          store,
          nodeId: "node_1",
          limits: { timeoutMs: 10_000, timeoutMsMax: 20_000, rowsMax: 1_000_000, memoryBytesMax: 2 ** 28 },
        }),
    });
  });
  after(async () => {
    await server.stop();
    await telemetry.close();
  });

  function ask(accept: string, body: object): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { ...bearer("a"), "content-type": "application/json", accept };
      const sent = request(`${server.url}/v1/query`, { method: "POST", headers }, resolve);
      sent.on("error", reject);
      sent.end(JSON.stringify(body));
    });
  }

  test("all formats except JSON have them in an announced trailer", async () => {
    for (const accept of ["application/x-ndjson", "text/csv", ...BINARY]) {
      const answer = await ask(accept, { sql: "SELECT * FROM logs", limit: 2 });
      assert.equal(answer.headers["trailer"], "query-statistics");
      await buffer(answer);
      assert.match(
        answer.trailers["query-statistics"] ?? "",
        /^row_count=2, truncated=\?1, elapsed_ms=\d+\.\d, rows_scanned=3, bytes_scanned=\d+, files_scanned=1, files_total=1$/,
        accept,
      );
    }
    const whole = await ask("text/csv", { sql: "SELECT 1 AS one" });
    await text(whole);
    assert.match(whole.trailers["query-statistics"] ?? "", /^row_count=1, truncated=\?0, .* files_scanned=0/);
  });

  test("JSON has them in its document", async () => {
    const answer = await ask("application/json", { sql: "SELECT * FROM logs" });
    assert.equal(answer.headers["trailer"], undefined);
    const { statistics } = JSON.parse(await text(answer)) as { statistics: Record<string, number> };
    assert.deepEqual([statistics["rows_scanned"], statistics["files_total"]], [3, 1]);
    assert.deepEqual(answer.trailers, {});
  });

  test("an incomplete result has none", async () => {
    const sql =
      "SELECT md5(range::VARCHAR) || md5((-range)::VARCHAR) AS text, CASE WHEN range < 300000 THEN 1 ELSE ('x' || range)::INT END AS n FROM range(400000)";
    const told = await ask("application/x-ndjson", { sql });
    assert.match(await text(told), /\{"error":\{"code":"query_failed"/);
    assert.equal(told.trailers["query-statistics"] ?? "", "");
    for (const accept of ["text/csv", ...BINARY]) {
      const answer = await ask(accept, { sql });
      assert.equal(answer.statusCode, 200);
      await assert.rejects(buffer(answer), "the connection breaks");
    }
  });

  test("HTTP/1.0 has no trailers, and gets the result", async () => {
    const body = JSON.stringify({ sql: "SELECT 1 AS one" });
    const { port, hostname } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/query HTTP/1.0\r\nHost: ${hostname}\r\nAuthorization: ${bearer("a")["authorization"]}\r\nContent-Type: application/json\r\nAccept: text/csv\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.[01] 200/);
    assert.doesNotMatch(answer, /trailer|query-statistics/i);
    assert.ok(answer.endsWith("\r\n\r\none\r\n1\r\n"), answer);
  });

  test("a large result arrives complete with its trailer", async () => {
    const answer = await ask("text/csv", { sql: "SELECT range, md5(range::VARCHAR) FROM range(200000)" });
    const lines = (await text(answer)).trimEnd().split("\r\n");
    assert.equal(lines.length, 200_001);
    assert.match(answer.trailers["query-statistics"] ?? "", /^row_count=200000, /);
  });
});
