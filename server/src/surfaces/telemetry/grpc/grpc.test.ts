import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { openHttp2Listener, type Http2Listener } from "#http/index.ts";
import { credentialOf, startTestServer, type TestServer } from "#http/testing/host.ts";
import { INGEST_BODY_BYTES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import { openTestTelemetry, type TestTelemetry } from "#stores/telemetry/testing/telemetry.ts";
import {
  badTraceRequest,
  grpcClient,
  logsRequest,
  prefixed,
  type GrpcAnswer,
  type GrpcCall,
  type GrpcClient,
} from "../../../../../tests/fixtures/grpc.ts";
import { createEncoderPool, refuseExceptOtlpGrpc, type EncoderPool } from "../index.ts";
import { tailDeps } from "../testing/tails.ts";
import { timeoutMsOf } from "./deadline.ts";
import { createOtlpGrpcSurface } from "../routes-grpc.ts";
import { percentEncoded } from "./status.ts";

let telemetry: TestTelemetry;
let encoders: EncoderPool;
let server: TestServer;
let listener: Http2Listener;
let client: GrpcClient;
/** Thrown by the store instead of storing. */
let refusal: Problem | undefined;
let appended = 0;

before(async () => {
  telemetry = await openTestTelemetry();
  encoders = createEncoderPool({ workers: 1 });
  const store: TelemetryStore = Object.create(telemetry.store, {
    append: {
      value: async (batch: Parameters<TelemetryStore["append"]>[0]) => {
        if (refusal !== undefined) throw refusal;
        appended += batch.count;
        return telemetry.store.append(batch);
      },
    },
  }) as TelemetryStore;
  server = await startTestServer({
    principals: {
      writer: credentialOf("org_a", ["telemetry:write"], "prj_a"),
      reader: credentialOf("org_b", ["telemetry:read"]),
      small: credentialOf("org_c", ["telemetry:write"]),
    },
    bodies: { totalBytesMax: 64 * 1024 ** 2, organizationBytesMax: 12 * 1024 ** 2 },
    mount: (host) => createOtlpGrpcSurface({ host, store, encoders, ...tailDeps(telemetry) }),
  });
  const options = { connectionsMax: 100, tls: undefined, refuse: refuseExceptOtlpGrpc };
  listener = await openHttp2Listener("127.0.0.1:0", { listener: server.listener, ...options });
  client = grpcClient(`http://${listener.address}`);
});

after(async () => {
  client.close();
  await listener.stop(0);
  await server.stop();
  await encoders.close();
  await telemetry.close();
});

const ONE = logsRequest("shop", ["hello"]);
const call = (options: GrpcCall): Promise<GrpcAnswer> => client.call({ token: "writer", message: ONE, ...options });

test("success is an empty response and grpc-status in trailers, for each service", async () => {
  for (const type of ["logs", "metrics", "traces"] as const) {
    const { status, headers, trailers, body } = await call({ type, message: Buffer.alloc(0) });
    assert.deepEqual([status, headers["content-type"], trailers?.["grpc-status"]], [200, "application/grpc", "0"]);
    assert.deepEqual(body, Buffer.alloc(5));
    assert.equal(headers["grpc-accept-encoding"], "identity,gzip,deflate,zstd");
  }
  const before = appended;
  assert.equal((await call({})).code, 0);
  const zipped = { message: gzipSync(ONE), flag: 1, headers: { "grpc-encoding": "gzip" } };
  assert.equal((await call(zipped)).code, 0);
  assert.equal(appended - before, 2);
});

test("a message is read in pieces of any size", async () => {
  const stream = client.session.request({
    ":method": "POST",
    ":path": "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
    "content-type": "application/grpc+proto",
    authorization: "Bearer writer",
  });
  for (const byte of prefixed(ONE)) stream.write(Buffer.from([byte]));
  const code = new Promise((resolve) => stream.once("trailers", (trailers) => resolve(trailers["grpc-status"])));
  stream.end();
  stream.resume();
  assert.equal(await code, "0");
});

test("a failure is one header with the end of the stream", async () => {
  const failures: readonly [string, GrpcCall, number, RegExp][] = [
    ["no token", { token: undefined as never }, 16, /Send an ingest key/],
    ["an unknown token", { token: "other" }, 16, /not known/],
    ["a token that can't write", { token: "reader" }, 7, /telemetry:write/],
    ["records that can't be read", { token: "away" }, 14, /can't be read/],
    ["not protobuf", { message: Buffer.from([0xff]) }, 3, /./],
    ["an unknown method", { path: "/opentelemetry.proto.collector.logs.v1.LogsService/Import" }, 12, /nothing/],
    ["an unknown service", { path: "/opentelemetry.proto.collector.profiles.v1.ProfilesService/Export" }, 12, /./],
    ["another path", { path: "/v1/ingest/logs" }, 12, /OTLP only/],
    ["an unknown compression", { flag: 1, headers: { "grpc-encoding": "snappy" } }, 12, /must be one of/],
    ["a compressed message without a name", { flag: 1 }, 13, /names no compression/],
    ["an unknown flag", { flag: 2 }, 13, /must be 0 or 1/],
    ["not gzip", { flag: 1, headers: { "grpc-encoding": "gzip" } }, 3, /not valid gzip/],
    ["no message", { raw: Buffer.alloc(0) }, 13, /before its message/],
    ["half a prefix", { raw: Buffer.alloc(3) }, 13, /before its message/],
    ["half a message", { raw: prefixed(ONE, 0, ONE.length + 1) }, 13, /before its message/],
    ["two messages", { raw: Buffer.concat([prefixed(ONE), prefixed(ONE)]) }, 13, /more than one message/],
    ["an unreadable timeout", { headers: { "grpc-timeout": "soon" } }, 13, /8 digits/],
  ];
  for (const [name, options, code, message] of failures) {
    const answer = await call(options);
    assert.deepEqual([answer.status, answer.code], [200, code], `${name}: ${answer.message}`);
    assert.match(answer.message, message, name);
    assert.equal(answer.trailers, undefined, name);
    assert.equal(answer.headers["content-type"], "application/grpc", name);
    if (code === 12 && options.flag === 1)
      assert.equal(answer.headers["grpc-accept-encoding"], "identity,gzip,deflate,zstd");
  }
  assert.equal((await call({})).code, 0, "the connection still works");
});

test("content that is not gRPC gets an HTTP status", async () => {
  const { status, code } = await call({ headers: { "content-type": "application/json" } });
  assert.equal(status, 415);
  assert.ok(Number.isNaN(code));
});

test("a message over the limit is refused after its prefix, and a bomb while it is decompressed", async () => {
  const over = await call({ raw: prefixed(Buffer.alloc(0), 0, INGEST_BODY_BYTES_MAX + 1), open: true });
  assert.deepEqual([over.code, over.trailers], [3, undefined]);
  const most = await call({ raw: prefixed(Buffer.alloc(0), 0, 0xffffffff), open: true });
  assert.equal(most.code, 3);
  const bomb = {
    message: gzipSync(Buffer.alloc(INGEST_BODY_BYTES_MAX + 1)),
    flag: 1,
    headers: { "grpc-encoding": "gzip" },
  };
  assert.deepEqual([(await call(bomb)).code], [3]);
});

test("declared lengths count against the budget of bodies, and RESOURCE_EXHAUSTED has a delay", async () => {
  const first = client.call({ token: "small", raw: prefixed(Buffer.alloc(1), 0, 9 * 1024 ** 2), open: true });
  const second = await client.call({ token: "small", raw: prefixed(Buffer.alloc(1), 0, 9 * 1024 ** 2), open: true });
  assert.equal(second.code, 8);
  const details = Buffer.from(String(second.headers["grpc-status-details-bin"]), "base64");
  assert.ok(details.includes("type.googleapis.com/google.rpc.RetryInfo"));
  assert.deepEqual([...details.subarray(-4)], [0x0a, 2, 0x08, 1]);
  assert.equal((await client.call({ token: "writer", message: ONE })).code, 0, "others are not affected");
  void first.catch(() => undefined);
});

test("the state of the store decides the status", async () => {
  const states: readonly [Problem, number][] = [
    [new Problem("unavailable", "stopping"), 14],
    [new Problem("disk_full", "full"), 14],
    [new Problem("quota_exceeded", "used up", { retryAfterS: 30 }), 8],
    [new Problem("internal", "bug"), 13],
  ];
  for (const [problem, code] of states) {
    refusal = problem;
    const answer = await call({});
    refusal = undefined;
    assert.equal(answer.code, code, problem.code);
    const details = Buffer.from(String(answer.headers["grpc-status-details-bin"] ?? ""), "base64");
    assert.equal(details.at(-1), code === 8 ? 30 : undefined, problem.code);
  }
});

test("refused records are counted in the response", async () => {
  const { code, body } = await call({ type: "traces", message: badTraceRequest() });
  assert.equal(code, 0);
  assert.deepEqual([body[5], ...body.subarray(8, 10)], [0x0a, 0x08, 1]);
  assert.match(body.toString(), /1 spans were refused/);
});

test("the deadline ends a call whose message does not arrive, and nothing is stored", async () => {
  const before = appended;
  const answer = await call({ raw: prefixed(ONE).subarray(0, -1), open: true, headers: { "grpc-timeout": "50m" } });
  assert.deepEqual([answer.code, answer.trailers], [4, undefined]);
  assert.equal(appended, before);
  assert.equal((await call({ headers: { "grpc-timeout": "99999999H" } })).code, 0);
});

test("units of grpc-timeout", () => {
  const parsed = ["1H", "2M", "3S", "9990m", "9994967u", "1000000n", "0S"].map(timeoutMsOf);
  assert.deepEqual(parsed, [3_600_000, 120_000, 3000, 9990, 9994.967, 1, 0]);
  for (const wrong of ["", "1", "S", "123456789S", "1x", "-1S"]) assert.throws(() => timeoutMsOf(wrong), Problem);
});

test("messages are percent-encoded", () => {
  assert.equal(percentEncoded("100 % Größe\n"), "100 %25 Gr%C3%B6%C3%9Fe%0A");
});

test("a stop lets running calls end, and sends GOAWAY first", async () => {
  const other = await openHttp2Listener("127.0.0.1:0", {
    listener: server.listener,
    connectionsMax: 10,
    tls: undefined,
    refuse: refuseExceptOtlpGrpc,
  });
  const late = grpcClient(`http://${other.address}`);
  await once(late.session, "connect");
  const stream = late.session.request({
    ":method": "POST",
    ":path": "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
    "content-type": "application/grpc",
    authorization: "Bearer writer",
  });
  stream.write(prefixed(ONE).subarray(0, 6));
  await new Promise((resolve) => late.session.ping(() => resolve(null)));
  const goaway = new Promise((resolve) => late.session.once("goaway", resolve));
  const stopped = other.stop(5000);
  await goaway;
  const code = new Promise((resolve) => stream.once("trailers", (trailers) => resolve(trailers["grpc-status"])));
  stream.end(prefixed(ONE).subarray(6));
  stream.resume();
  assert.equal(await code, "0");
  await stopped;
});
