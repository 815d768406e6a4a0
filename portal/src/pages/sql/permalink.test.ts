import assert from "node:assert/strict";
import { test } from "node:test";
import { searchOfStatement, statementOf } from "./permalink.ts";

test("a short statement is in the address as text, a long one compressed", async () => {
  const short = "SELECT 'ä' AS a";
  assert.deepEqual(await searchOfStatement(short), { sql: short, z: undefined });
  const long = `SELECT ${"count(*) AS größe, ".repeat(400)} 1`;
  const search = await searchOfStatement(long);
  assert.equal(search.sql, undefined);
  assert.match(search.z ?? "", /^[\w-]{10,400}$/);
  assert.equal(await statementOf(search), long);
});

test("an unreadable address is an empty statement", async () => {
  assert.equal(await statementOf({ z: "????" }), "");
  assert.equal(await statementOf({}), "");
});
