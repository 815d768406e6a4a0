/** OTLP/gRPC at its address, and OTLP/HTTP at the default paths of exporters. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { grpcClient, logsRequest, prefixed, type GrpcClient } from "../fixtures/grpc.ts";
import { useSharedServer } from "../fixtures/server.ts";
import { rows } from "../fixtures/telemetry.ts";

let client: GrpcClient;
const shared = useSharedServer(async ({ server }) => void (client = grpcClient(server.grpcOrigin)));
after(() => client.close());

test("a call is answered when its rows are stored", async () => {
  const message = logsRequest("grpc", ["first", "second"]);
  const plain = await client.call({ token: shared.token, message });
  const zipped = { message: gzipSync(message), flag: 1, headers: { "grpc-encoding": "gzip" } };
  const gzip = await client.call({ token: shared.token, ...zipped });
  assert.deepEqual([plain.code, gzip.code], [0, 0]);
  const sql = "SELECT message, count(*) AS n FROM logs WHERE service = 'grpc' GROUP BY message ORDER BY message";
  assert.deepEqual(await rows(shared.server, shared.token, sql), [
    { message: "first", n: 2 },
    { message: "second", n: 2 },
  ]);
});

test("a call without a token fails before its message is read", async () => {
  const { code, trailers } = await client.call({ raw: prefixed(Buffer.alloc(1), 0, 1000), open: true });
  assert.deepEqual([code, trailers], [16, undefined]);
});

test("only OTLP is at the address of gRPC", async () => {
  const stream = client.session.request({ ":path": "/health" });
  const status = new Promise((resolve) => stream.once("response", (headers) => resolve(headers[":status"])));
  stream.resume();
  assert.equal(await status, 415);
  await assert.rejects(fetch(`${shared.server.grpcOrigin}/health`), "HTTP/1.1 is not spoken there");
});

test("OTLP/HTTP has the paths that exporters append to an endpoint", async () => {
  for (const type of ["logs", "metrics", "traces"]) {
    const answer = await shared.server.call("POST", `/v1/${type}`, { token: shared.token, json: {} });
    assert.deepEqual([answer.status, answer.text], [200, "{}"]);
    const refused = await fetch(`${shared.server.origin}/v1/${type}`, { method: "POST" });
    assert.deepEqual([refused.status, ((await refused.json()) as { code: number }).code], [401, 16]);
  }
});
