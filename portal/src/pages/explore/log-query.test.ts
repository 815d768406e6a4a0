import assert from "node:assert/strict";
import { test } from "node:test";
import { entryKey, fits, justAfter, momentOfKey, type LogEntry } from "./entry.ts";
import { entriesStatement, facetsStatement, histogramStatement, likePattern, readableSql } from "./log-query.ts";
import { parseSearch } from "./search-language.ts";

const wanted = (text: string, projectId: string | null = null) => ({ search: parseSearch(text), projectId });

const ENTRY: LogEntry = {
  timestamp: "2026-11-20T08:00:01.25Z",
  level: "ERROR",
  severity: 17,
  message: "card Declined: 05",
  service: "payments",
  trace_id: null,
  span_id: null,
  attributes: { order: 58_211, "http.route": "/a", region: "eu" },
  project_id: null,
};

test("values are parameters, for every content", () => {
  const hostile = "x' OR 1=1 --";
  const { sql, parameters } = entriesStatement(
    wanted(`service:"${hostile}" user:"${hostile}" "${hostile}"`, "proj_1"),
    10,
  );
  assert.ok(!sql.includes("1=1"));
  assert.deepEqual(Object.values(parameters), ["proj_1", hostile]);
  assert.match(sql, /WHERE project_id = \$p0 AND service = \$p1 AND \(attributes->>'user'\) = \$p1 AND contains/);
});

test("an attribute's name is a literal only if nothing in it could end one", () => {
  assert.match(entriesStatement(wanted("a.b-c:1"), 1).sql, /\(attributes->>'a\.b-c'\) = \$p0/);
  assert.match(entriesStatement(wanted("a/b:1"), 1).sql, /\(attributes->>\$p0\) = \$p1/);
});

test("levels are compared by severity; a minus negates", () => {
  assert.match(
    entriesStatement(wanted("level:error,Notice"), 1).sql,
    /\(severity BETWEEN 17 AND 20 OR lower\(level\) = lower\(\$p0\)\)/,
  );
  assert.match(entriesStatement(wanted("-level:debug"), 1).sql, /\(severity BETWEEN 5 AND 8\) IS NOT TRUE/);
  assert.match(entriesStatement(wanted("level:>=warn"), 1).sql, /severity >= 13/);
});

test("numbers are compared as numbers, and a star matches any text", () => {
  const { sql, parameters } = entriesStatement(wanted("ms:>250 host:a_*"), 1);
  assert.match(
    sql,
    /try_cast\(\(attributes->>'ms'\) AS DOUBLE\) > \$p0 AND \(attributes->>'host'\) ILIKE \$p1 ESCAPE \$p2/,
  );
  assert.deepEqual(parameters, { p0: 250, p1: "a\\_%", p2: "\\" });
  assert.equal(likePattern("50%*"), "50\\%%");
});

test("facets ignore the search's condition on their field", () => {
  const { sql } = facetsStatement(wanted("level:error service:payments x"));
  const [levels = "", services = "", all = ""] = sql.split("UNION ALL");
  assert.ok(!levels.includes("BETWEEN") && levels.includes("service ="));
  assert.ok(services.includes("BETWEEN") && !services.includes("service ="));
  assert.ok(!all.includes("WHERE"));
  assert.match(histogramStatement(wanted(""), 1000).sql, /INTERVAL '1000 milliseconds'/);
});

test("SQL for people has the values as literals", () => {
  assert.match(readableSql(wanted('user:"o\'neill"')), /\(attributes->>'user'\) = 'o''neill'\n/);
});

test("an entry matches a term exactly if a query finds it", () => {
  const fitting = [
    "level:error",
    "level:>=warn",
    "service:payments",
    "order:58211",
    "order:>58000",
    "declined",
    "http.route:*",
    "region:e*",
    "-level:debug",
    "-service:a",
    "message:card",
    "-nothing:*",
    "level:err*",
  ];
  const others = [
    "level:warn",
    "level:>error",
    "service:ledger",
    "order:5",
    "order:<5",
    "-declined",
    "nothing:*",
    "region:u*",
    "trace_id:a",
  ];
  for (const text of fitting)
    assert.ok(
      parseSearch(text).terms.every((term) => fits(ENTRY, term)),
      text,
    );
  for (const text of others) assert.ok(!parseSearch(text).terms.every((term) => fits(ENTRY, term)), text);
});

test("an entry's key contains its time, and changes with its content", () => {
  assert.equal(momentOfKey(entryKey(ENTRY)), ENTRY.timestamp);
  assert.notEqual(entryKey(ENTRY), entryKey({ ...ENTRY, message: "other" }));
  assert.equal(momentOfKey("x~y"), null);
});

test("the end of a moment is a microsecond later", () => {
  assert.equal(justAfter("2026-11-20T08:00:01Z"), "2026-11-20T08:00:01.000001Z");
  assert.equal(justAfter("2026-11-20T08:00:01.25Z"), "2026-11-20T08:00:01.250001Z");
  assert.equal(justAfter("2026-11-20T08:00:59.999999Z"), "2026-11-20T08:01:00.000Z");
});
