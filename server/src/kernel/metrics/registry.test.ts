import assert from "node:assert/strict";
import { test } from "node:test";
import { Metrics } from "./registry.ts";

function linesOf(text: string, name: string): string[] {
  return text.split("\n").filter((line) => line.startsWith(name));
}

test("a counter counts for each combination of labels, and escapes their values", async () => {
  const metrics = new Metrics();
  const requests = metrics.counter("mooring_http_requests_total");
  const labels = { surface: "files", http_request_method: "GET", http_response_status_code: "200" } as const;
  requests.inc({ ...labels, http_route: "/a" });
  requests.inc({ ...labels, http_route: "/a" }, 2);
  requests.inc({ ...labels, http_route: '"\\\n' });
  const series = (route: string): string =>
    `mooring_http_requests_total{surface="files",http_route="${route}",http_request_method="GET",http_response_status_code="200"}`;
  assert.deepEqual(linesOf(await metrics.text(), "mooring_http_requests_total"), [
    `${series("/a")} 3`,
    `${series(String.raw`\"\\\n`)} 1`,
  ]);
});

test("a histogram has cumulative buckets, a sum and a count; a value at a bound belongs to its bucket", async () => {
  const metrics = new Metrics();
  const seconds = metrics.histogram("nodejs_gc_duration_seconds");
  for (const value of [0.001, 0.5, 7]) seconds.observe(value, { kind: "major" });
  const lines = linesOf(await metrics.text(), "nodejs_gc_duration_seconds").filter((line) => line.includes("major"));
  assert.deepEqual(
    lines.map((line) => line.replace("nodejs_gc_duration_seconds", "").replace('kind="major"', "")),
    [
      '_bucket{,le="0.001"} 1',
      '_bucket{,le="0.01"} 1',
      '_bucket{,le="0.1"} 1',
      '_bucket{,le="1"} 2',
      '_bucket{,le="2"} 2',
      '_bucket{,le="5"} 2',
      '_bucket{,le="+Inf"} 3',
      "_sum{} 7.501",
      "_count{} 3",
    ],
  );
});

test("sources are read at each scrape; one that fails leaves out its family only", async () => {
  const metrics = new Metrics();
  let files = 1;
  metrics.read("mooring_telemetry_parquet_files", () => files);
  metrics.read("mooring_jobs_parked", () => Promise.reject(new Error("no records")));
  metrics.read("mooring_query_sandbox_layer", () => [[{ layer: "limits" }, 1] as const]);
  metrics.read("mooring_query_sandbox_layer", () => [[{ layer: "privileges" }, 0] as const]);
  files = 2;
  const text = await metrics.text();
  assert.deepEqual(linesOf(text, "mooring_telemetry_parquet_files"), ["mooring_telemetry_parquet_files 2"]);
  assert.deepEqual(linesOf(text, "mooring_jobs_parked"), []);
  assert.deepEqual(linesOf(text, "mooring_query_sandbox_layer"), [
    'mooring_query_sandbox_layer{layer="limits"} 1',
    'mooring_query_sandbox_layer{layer="privileges"} 0',
  ]);
});

test("counters with few combinations of labels begin at 0, so that the first event is an increase", async () => {
  const text = await new Metrics().text();
  assert.ok(
    linesOf(text, "mooring_syslog_messages_total").includes(
      'mooring_syslog_messages_total{transport="udp",result="dropped"} 0',
    ),
  );
  assert.deepEqual(linesOf(text, "mooring_own_telemetry_dropped_total"), ["mooring_own_telemetry_dropped_total 0"]);
});

test("samples are the numbers of the text", async () => {
  const metrics = new Metrics();
  metrics.histogram("mooring_eventloop_delay_seconds").observe(0.2, {});
  const samples = await metrics.samples();
  assert.deepEqual(
    samples.find(({ name, labels }) => name === "mooring_eventloop_delay_seconds_bucket" && labels["le"] === "0.25"),
    { name: "mooring_eventloop_delay_seconds_bucket", labels: { le: "0.25" }, value: 1 },
  );
  assert.equal(samples.length, (await metrics.text()).split("\n").filter((line) => /^[a-z]/.test(line)).length);
});
