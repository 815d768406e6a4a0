import assert from "node:assert/strict";
import { test } from "node:test";
import { withValues } from "./chart-sql.ts";

test("values become literals, and text within a string is never a parameter", () => {
  assert.equal(
    withValues("SELECT '$name', $name, $n, $none FROM t WHERE a = $a", { name: "it's $n", n: 5, a: null }),
    "SELECT '$name', 'it''s $n', 5, $none FROM t WHERE a = NULL",
  );
});
