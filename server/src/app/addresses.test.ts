import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesOf, type Bound } from "./addresses.ts";
import { loadConfig } from "./config.ts";

const BOUND: Bound = { listen: "127.0.0.1:8080", s3Listen: "127.0.0.1:9000" };

function found(flags: Record<string, string>, bound: Partial<Bound>) {
  const config = loadConfig({ environment: {}, flags });
  const { otlp_grpc_url, syslog_tcp_address, syslog_tls_address, syslog_udp_address } = addressesOf(config, {
    ...BOUND,
    ...bound,
  });
  return [otlp_grpc_url, syslog_tcp_address, syslog_tls_address, syslog_udp_address];
}

test("a protocol without a listener has no address", () => {
  assert.deepEqual(found({}, {}), [null, null, null, null]);
  const bound = { grpcListen: null, syslog: { tcp: "127.0.0.1:514" } };
  assert.deepEqual(found({}, bound), [null, "127.0.0.1:514", null, null]);
});

test("clients get the host of ingest_url instead of a wildcard", () => {
  const syslog = { tcp: "[::]:514", tls: "[2001:db8::1]:6514", udp: "0.0.0.0:514" };
  assert.deepEqual(found({ ingest_url: "https://in.example.com/base" }, { grpcListen: "0.0.0.0:4317", syslog }), [
    "http://in.example.com:4317",
    "in.example.com:514",
    "[2001:db8::1]:6514",
    "in.example.com:514",
  ]);
});

test("a loopback address is published only if ingest_url has one, too", () => {
  const bound = { grpcListen: "127.0.0.1:4317", syslog: { tcp: "[::1]:514", udp: "localhost:514" } };
  const local = ["http://127.0.0.1:4317", "[::1]:514", null, "localhost:514"];
  assert.deepEqual(found({}, bound), local);
  assert.deepEqual(found({ ingest_url: "http://localhost:8080" }, bound), local);
  assert.deepEqual(found({ ingest_url: "https://in.example.com" }, bound), [null, null, null, null]);
});

test("with TLS, the main address is the one of OTLP/gRPC if clients can't reach the separate one", () => {
  const tls = { tls_cert: "cert.pem", tls_key: "key.pem", ingest_url: "https://in.example.com/base" };
  const grpcOf = (grpcListen: string | null): unknown => found(tls, { grpcListen })[0];
  assert.equal(grpcOf("127.0.0.1:4317"), "https://in.example.com");
  assert.equal(grpcOf(null), "https://in.example.com");
  assert.equal(grpcOf("0.0.0.0:4317"), "https://in.example.com:4317");
});
