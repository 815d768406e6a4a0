import assert from "node:assert/strict";
import { test } from "node:test";
import { firstPlot, kindOf, plotOf, plotsOf, plotText, unitOf } from "./plots.ts";

test("a plot survives the address", () => {
  for (const plot of [
    { name: "cpu", aggregation: "avg", by: null },
    { name: "http.server.duration_bucket", aggregation: "p95", by: "service.name" },
    { name: "100%(odd) by name", aggregation: "rate", by: "a (b) by c" },
  ] as const)
    assert.deepEqual(plotOf(plotText(plot)), plot);
  assert.equal(plotText({ name: "cpu", aggregation: "max", by: "host" }), "max(cpu) by host");
});

test("invalid plots are left out", () => {
  assert.equal(plotsOf(["avg(cpu)", "drop(cpu)", "avg()", 7, ""]).length, 1);
  assert.equal(plotsOf("avg(cpu)").length, 1);
  assert.equal(plotsOf(undefined).length, 0);
});

test("a metric's kind follows from its name and temporality", () => {
  assert.equal(kindOf("http_requests_total", false), "counter");
  assert.equal(kindOf("requests", true), "counter");
  assert.equal(kindOf("duration_bucket", false), "histogram");
  assert.equal(kindOf("cpu", false), "gauge");
  assert.equal(firstPlot("a_total", "counter").aggregation, "rate");
});

test("a unit comes from the tag or the name", () => {
  const of = (name: string, aggregation: "avg" | "rate" | "p95", tag = ""): string =>
    unitOf({ name, aggregation, by: null }, tag);
  assert.equal(of("memory_bytes", "avg"), "bytes");
  assert.equal(of("sent_bytes_total", "rate"), "bytes-per-second");
  assert.equal(of("requests_total", "rate"), "per-second");
  assert.equal(of("duration_seconds_bucket", "p95"), "seconds");
  assert.equal(of("duration_seconds_bucket", "rate"), "per-second");
  assert.equal(of("heap", "avg", "By"), "bytes");
});
