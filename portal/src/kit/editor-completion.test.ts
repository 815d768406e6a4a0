import assert from "node:assert/strict";
import { test } from "node:test";
import { errorPlace, suggestionsAt, type SqlSchema } from "./editor-completion.ts";

const column = (name: string) => ({ name, type: "VARCHAR", description: "" });
const SCHEMA: SqlSchema = {
  tables: [
    {
      name: "logs",
      description: "",
      columns: [column("level"), column("attributes")],
      promoted_attributes: ["order", "http.route"],
    },
    { name: "traces", description: "", columns: [column("duration_ms")], promoted_attributes: ["peer"] },
  ],
  functions: ["count", "lower"],
  table_functions: ["range"],
};

const labels = (sql: string): string[] =>
  (suggestionsAt(SCHEMA, sql, sql)?.suggestions ?? []).map(({ label }) => label);

test("FROM suggests tables; other places suggest functions and the columns of used tables", () => {
  assert.deepEqual(labels("SELECT * FROM lo"), ["logs", "traces", "range"]);
  assert.deepEqual(labels("SELECT * FROM traces WHERE d"), ["duration_ms", "logs", "traces", "count", "lower"]);
  assert.ok(labels("SELECT l").includes("level"));
});

test("a table's name or alias suggests its columns", () => {
  assert.deepEqual(labels("SELECT * FROM traces t WHERE t.d"), ["duration_ms"]);
  assert.deepEqual(labels("SELECT * FROM logs AS l JOIN traces USING (trace_id) WHERE l."), ["level", "attributes"]);
  assert.equal(suggestionsAt(SCHEMA, "SELECT x.", "SELECT x."), null);
});

test("an attribute with a separate column is suggested in quotation marks", () => {
  const sql = "SELECT attributes->>'ht";
  const found = suggestionsAt(SCHEMA, `${sql}' FROM logs`, sql);
  assert.deepEqual(
    found?.suggestions.map(({ label }) => label),
    ["order", "http.route"],
  );
  assert.equal(found?.replaced, 2);
});

test("strings and comments get no suggestions", () => {
  assert.equal(suggestionsAt(SCHEMA, "SELECT 'le", "SELECT 'le"), null);
  assert.equal(suggestionsAt(SCHEMA, "SELECT 1 -- le", "SELECT 1 -- le"), null);
});

test("an error has the place that the server names", () => {
  assert.deepEqual(errorPlace("SELEC 1", 'syntax error at or near "SELEC" (at line 1, column 1)'), { from: 0, to: 5 });
  assert.deepEqual(errorPlace("SELECT '😀' FRM", 'syntax error at or near "FRM" (at line 1, column 13)'), {
    from: 12,
    to: 15,
  });
  assert.deepEqual(errorPlace("SELECT 1\nWHERE x = 1", 'column "x" not found (at line 2, column 7)'), {
    from: 15,
    to: 16,
  });
  assert.deepEqual(errorPlace("SELECT 1\nWHERE x = 1", "not found", { line: 2, column: 7 }), { from: 15, to: 16 });
  assert.deepEqual(errorPlace("SELECT", "syntax error at end of input (at line 1, column 7)"), { from: 5, to: 6 });
  assert.deepEqual(errorPlace("SELECT foo FROM logs", 'Referenced column "foo" not found in FROM clause!'), {
    from: 7,
    to: 10,
  });
  assert.equal(errorPlace("SELECT 1", "out of memory"), null);
});
