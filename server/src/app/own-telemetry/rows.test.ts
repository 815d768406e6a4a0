import assert from "node:assert/strict";
import { test } from "node:test";
import { logRow, metricRows } from "./rows.ts";

const TIME = "2026-11-20T08:00:00.000Z";

test("a log line becomes a row; other lines do not", () => {
  const line = {
    level: "error",
    time: TIME,
    request_id: "r1",
    msg: "cannot compact",
    err: { message: "full" },
    org_id: "org_1",
  };
  assert.deepEqual(JSON.parse(logRow(JSON.stringify(line)) ?? ""), {
    timestamp: TIME,
    level: "error",
    severity: 17,
    message: "cannot compact",
    service: "mooring",
    attributes: { err: { message: "full" }, org_id: "org_1", request_id: "r1" },
  });
  for (const other of ["", "plain text", "{}", "null", '{"level":"loud"}'])
    assert.equal(logRow(other), undefined, other);
});

test("a line that is too long keeps only its message; lone surrogates are replaced", () => {
  const long = logRow(JSON.stringify({ level: "info", time: TIME, msg: "m", more: "x".repeat(70_000) })) ?? "";
  assert.deepEqual(Object.keys(JSON.parse(long) as object), ["timestamp", "level", "severity", "message", "service"]);
  const broken = logRow(`{"level":"info","time":"${TIME}","msg":"a\\ud800b","s":"\\udc00"}`) ?? "";
  assert.ok(!/\\ud[89a-f]/i.test(broken) && broken.isWellFormed(), broken);
});

test("samples keep their names and labels; infinite ones and NaN are left out", () => {
  const samples = [
    { name: "seconds_bucket", labels: { le: "0.5" }, value: 3 },
    { name: "other", labels: {}, value: Number.NaN },
    { name: "seconds_count", labels: {}, value: 2 },
  ];
  const rows = metricRows(samples, Date.parse(TIME)).map((row) => JSON.parse(row) as unknown);
  assert.deepEqual(rows, [
    { timestamp: TIME, name: "seconds_bucket", value: 3, tags: { le: "0.5", service: "mooring" } },
    { timestamp: TIME, name: "seconds_count", value: 2, tags: { service: "mooring" } },
  ]);
});
