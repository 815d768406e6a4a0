/** The server's own logs, metrics and spans, in the organization that the operator chose. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { startServer, type Client, type Server } from "../fixtures/server.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";

let server: Server;
let credential: Client;
let token: string;

before(async () => {
  // Named before it exists, as in a first start.
  const settings = { own_telemetry_organization: "acme", own_telemetry_metrics_interval_ms: 200, slow_request_ms: 1 };
  server = await startServer({ settings });
  ({ credential } = await server.bootstrap({ org: "acme" }));
  token = await server.token(credential);
});
after(() => server.dispose());

async function rowsOf(sql: string, parameters: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await server.call<{ rows: Record<string, unknown>[] }>("POST", "/v1/query", {
    json: { sql, parameters },
    headers,
  });
  return body.rows;
}

/** Waits until a query returns rows, which are stored every second. */
async function eventualRows(sql: string, parameters: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  return eventually(`rows of ${sql}`, async () => {
    const rows = await rowsOf(sql, parameters);
    return rows.length > 0 ? rows : null;
  });
}

test("a request is a span of its caller's trace, with the route and not the path", async () => {
  const headers = {
    authorization: `Bearer ${token}`,
    traceparent: `00-${TRACE}-${PARENT}-01`,
    "request-id": "req-of-the-test",
  };
  await server.call("GET", "/v1/projects/proj_absent", { headers });
  const [span] = await eventualRows(
    "SELECT * EXCLUDE (timestamp, duration_ms, span_id), length(span_id) AS digits, duration_ms > 0 AS took FROM traces WHERE trace_id = ?",
    [TRACE],
  );
  const attributes = span?.["attributes"] as Record<string, unknown>;
  assert.deepEqual(
    { ...span, attributes: undefined },
    {
      trace_id: TRACE,
      parent_span_id: PARENT,
      name: "GET /v1/projects/:project_id",
      kind: "server",
      service: "mooring",
      status: "ok",
      project_id: null,
      digits: 16,
      took: true,
      attributes: undefined,
    },
  );
  assert.equal(attributes["http.response.status_code"], 404);
  assert.equal(attributes["request_id"], "req-of-the-test");
  assert.match(String(attributes["organization_id"]), /^org_/);
});

test("a request without a trace starts a new one", async () => {
  await fetch(`${server.origin}/health`);
  const [span] = await eventualRows("SELECT trace_id, parent_span_id FROM traces WHERE name = 'GET /health'");
  assert.match(String(span?.["trace_id"]), /^[0-9a-f]{32}$/);
  assert.equal(span?.["parent_span_id"], null);
});

test("a request to the S3 gateway is a span with the operation's name", async () => {
  const { body } = await server.call<{ s3_endpoint: string }>("GET", "/.well-known/mooring");
  const trace = "1bf7651916cd43dd8448eb211c80319c";
  await fetch(`${body.s3_endpoint}/no-such-bucket/key`, { headers: { traceparent: `00-${trace}-${PARENT}-01` } });
  const [span] = await eventualRows("SELECT name, parent_span_id, status FROM traces WHERE trace_id = ?", [trace]);
  assert.deepEqual(span, { name: "GET s3 GetObject", parent_span_id: PARENT, status: "ok" });
});

test("log lines have their level, message and fields, and belong to the spans by request", async () => {
  const [line] = await eventualRows(
    `SELECT l.level, l.severity, l.service, t.name FROM logs l JOIN traces t ON (l.attributes->>'request_id') = (t.attributes->>'request_id')
     WHERE l.message = 'request answered' LIMIT 1`,
  );
  assert.deepEqual([line?.["level"], line?.["severity"], line?.["service"]], ["info", 9, "mooring"]);
});

test("metrics are sampled, histograms by their buckets", async () => {
  const names = (await eventualRows("SELECT DISTINCT name FROM metrics")).map((row) => String(row["name"]));
  for (const name of [
    "mooring_http_requests_total",
    "http_server_request_duration_seconds_bucket",
    "process_cpu_seconds_total",
  ])
    assert.ok(names.includes(name), name);
  const [requests] = await eventualRows(
    "SELECT max(value) AS n FROM metrics WHERE name = 'mooring_http_requests_total' AND tags['http_route'] = '/v1/query' AND tags['http_response_status_code'] = '200'",
  );
  assert.ok(Number(requests?.["n"]) >= 1);
});

test("the telemetry has no token, secret or path of the host", async () => {
  await fetch(`${server.origin}/v1/query?access_token=${token}`, { headers: { authorization: `Bearer ${token}` } });
  await eventualRows("SELECT 1 FROM traces WHERE name = 'POST /oauth/token'");
  const texts = await rowsOf(
    "SELECT message || coalesce(attributes::VARCHAR, '') AS text FROM logs UNION ALL SELECT name || attributes::VARCHAR FROM traces",
  );
  for (const { text } of texts)
    for (const secret of [token, credential.client_secret]) assert.ok(!String(text).includes(secret), String(text));
});

test("rows from before a stop exist after it", async () => {
  const traceId = "1af7651916cd43dd8448eb211c80319c";
  await fetch(`${server.origin}/health`, { headers: { traceparent: `00-${traceId}-${PARENT}-01` } });
  const { dataDir, environment } = server;
  assert.deepEqual((await server.stop()).code, 0);
  const again = await startServer({ dataDir, environment });
  try {
    const { body } = await again.call<{ rows: { n: number }[] }>("POST", "/v1/query", {
      json: { sql: "SELECT count(*)::INT AS n FROM traces WHERE trace_id = ?", parameters: [traceId] },
      token: await again.token(credential),
    });
    assert.deepEqual(body.rows, [{ n: 1 }]);
  } finally {
    await again.dispose();
  }
});
