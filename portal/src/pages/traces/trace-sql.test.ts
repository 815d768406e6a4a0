import assert from "node:assert/strict";
import { test } from "node:test";
import { listStatement, spanOf, traceStatement } from "./trace-sql.ts";

const ANY = { service: "", name: "", leastMs: 0, errorsOnly: false, order: "newest", projectId: null } as const;

test("typed text is a parameter, never part of the statement", () => {
  const { sql, parameters } = listStatement({ ...ANY, service: "a' OR 1", name: "x'--", leastMs: 5, projectId: "p" });
  assert.doesNotMatch(sql, /OR 1|x'--/);
  assert.deepEqual(parameters, { service: "a' OR 1", name: "x'--", least: 5, project: "p" });
});

test("the statement has only the filters that are set", () => {
  assert.doesNotMatch(listStatement(ANY).sql, /HAVING|WHERE project_id/);
  assert.match(
    listStatement({ ...ANY, errorsOnly: true, order: "slowest" }).sql,
    /HAVING count_if.*\nORDER BY lasted_ms DESC/,
  );
});

test("one trace is one statement with one condition", () => {
  assert.match(traceStatement("t").sql, /WHERE trace_id = \$trace ORDER BY/);
});

test("rows become spans, with NULL in any column", () => {
  const span = spanOf({
    span_id: "s",
    name: "n",
    started_us: 1500,
    duration_ms: 2,
    attributes: '{"a":1}',
    service: null,
  });
  assert.deepEqual([span.startMs, span.durationMs, span.service, span.parentId], [1.5, 2, "", ""]);
  assert.deepEqual(span.attributes, { a: 1 });
});
