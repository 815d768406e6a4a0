import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { discover } from "./discover.ts";
import { ALWAYS, CHECKOUT_ONLY, CORE_SECONDS_MAX, GROUPS, groupsOf, inTurn } from "./groups.ts";

const ROOT = join(import.meta.dirname, "../..");
const FILES = discover(ROOT, "full", []);

test("every long test is in exactly one group, and every group has one", () => {
  assert.ok(FILES.length > 50, `${FILES.length} files`);
  for (const path of FILES) assert.equal(groupsOf(path).length, 1, `${path} is in: ${groupsOf(path).join(", ")}`);
  for (const { name, again } of GROUPS)
    assert.ok(again !== undefined || FILES.some((path) => groupsOf(path)[0] === name), `${name} has no file`);
});

test("every acceptance test runs with the installed package, in exactly one group, unless it needs a checkout", () => {
  const paths = [...discover(ROOT, "test", []), ...FILES].filter((path) => path.startsWith("tests/acceptance/"));
  assert.ok(paths.length > 90, `${paths.length} files`);
  const groupOf = (path: string): string => groupsOf(path, "installed").join(", ");
  const names = GROUPS.filter(({ again }) => again === "installed").map(({ name }) => name);
  for (const path of paths)
    if (CHECKOUT_ONLY.test(path)) assert.equal(groupOf(path), "");
    else assert.ok(names.includes(groupOf(path)), `${path} is in: ${groupOf(path)}`);
  for (const name of names)
    assert.ok(
      [...paths, ...FILES].some((path) => groupOf(path) === name),
      `${name} has no file`,
    );
});

test("every suite that runs on both databases is in the group that runs it on PostgreSQL", () => {
  const paths = discover(ROOT, "test", ["server/src/"]);
  const suites = paths.filter((path) => /\bDATABASES\b/.test(readFileSync(join(ROOT, path), "utf8")));
  assert.ok(suites.length > 10, `${suites.length} files`);
  for (const path of suites) assert.deepEqual(groupsOf(path, "postgres"), ["databases"], path);
});

test("the groups that always run take at most twenty minutes", () => {
  assert.deepEqual(
    ALWAYS.map(({ name }) => name),
    ["core", "databases"],
  );
  const seconds = ALWAYS.reduce((sum, group) => sum + group.seconds, 0);
  assert.ok(seconds <= CORE_SECONDS_MAX, `${seconds} s`);
});

test("changed surfaces come first, and the others begin with another one each time", () => {
  const names = (changed: readonly string[], turn: number): string[] => inTurn(changed, turn).map(({ name }) => name);
  const rest = GROUPS.length - ALWAYS.length;
  const firsts = Array.from({ length: rest }, (_, turn) => names([], turn)[0]);
  assert.equal(new Set(firsts).size, rest);
  for (let turn = 0; turn < rest; turn++) {
    const order = names(["docs/reference/s3.md", "portal/src/main.tsx"], turn);
    assert.deepEqual(order.slice(0, 3).toSorted(), ["access", "portal", "setup"]);
    assert.equal(new Set(order).size, rest);
  }
});
