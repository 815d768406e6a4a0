import assert from "node:assert/strict";
import { test } from "node:test";
import { filtersOf, sqlOf, statementOf } from "./filters.ts";

test("filters become conditions with parameters", () => {
  const { sql, parameters } = statementOf(filtersOf({ actor: "it's", address: 5, tab: "x" }), "proj_1");
  assert.match(
    sql,
    /WHERE \(actor_id = \$actor OR .*\)\n {2}AND ip = \$address\n {2}AND project_id = \$project\nORDER/,
  );
  assert.deepEqual(parameters, { actor: "it's", address: "5", project: "proj_1" });
  assert.match(sqlOf({ sql, parameters }), /actor_id = 'it''s' OR .* ip = '5'/s);
  assert.doesNotMatch(statementOf({}, undefined).sql, /WHERE/);
});
