import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { queryCommand, queryCurl, shellQuoted } from "./query-snippets.ts";

test("a shell passes the text unchanged", () => {
  for (const text of ["a", "it's", '$(date) `x` "y"\n\\']) {
    const said = execFileSync("sh", ["-c", `printf %s ${shellQuoted(text)}`], { encoding: "utf8" });
    assert.equal(said, text);
  }
});

test("a query becomes a curl command and a mooring command", () => {
  const body = {
    sql: "SELECT 'a'",
    parameters: { p0: "x y" },
    from: "2026-11-20T08:00:00Z",
    to: "2026-11-20T09:00:00Z",
  };
  assert.match(queryCurl("https://q.test", body), /^curl -sS https:\/\/q\.test\/v1\/query \\\n/);
  assert.equal(
    queryCommand(body, { format: "csv", output: "result.csv" }),
    `npx mooring query 'SELECT '\\''a'\\''' --param p0='"x y"' --from 2026-11-20T08:00:00Z --to 2026-11-20T09:00:00Z --format csv --output result.csv`,
  );
});
