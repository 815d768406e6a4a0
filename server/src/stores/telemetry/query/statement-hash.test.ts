import assert from "node:assert/strict";
import { test } from "node:test";
import { hashStatement } from "./statement-hash.ts";

const BASE = "SELECT a FROM logs WHERE b = 'x' AND c IN (1, 2)";

test("statements that differ only in literals, comments, case and spaces have the same hash", () => {
  const same = [
    "select A from LOGS where B='it''s' and C in (17)",
    "SELECT a /* all */ FROM logs -- of today\n WHERE b = $$ 'quoted' $$ AND c IN (.5, 1e-3, 7, 8);",
    "SELECT a FROM logs WHERE b = $tag$ $$ $tag$ AND c IN (1)",
    String.raw`SELECT a FROM logs WHERE b = E'\'--' AND c IN (1)`,
  ];
  for (const each of same) assert.equal(hashStatement(each), hashStatement(BASE), each);
});

test("statements of another form have another hash", () => {
  const others = [
    "SELECT a FROM traces WHERE b = 'x' AND c IN (1, 2)",
    "SELECT \"a\" FROM logs WHERE b = 'x' AND c IN (1, 2)",
    "SELECT a FROM logs WHERE b = $1 AND c IN (1, 2)",
    "SELECT a FROM logs WHERE b = 'x'",
  ];
  assert.equal(new Set([BASE, ...others].map(hashStatement)).size, others.length + 1);
});

test("a text without end, and one of 64 KiB, take linear time", () => {
  const startedMs = performance.now();
  for (const part of ["'", "''", "$$", "/*", "$a$ ", "1,", '"', "E'\\"]) hashStatement(part.repeat(32 * 1024));
  assert.ok(performance.now() - startedMs < 2000);
});
