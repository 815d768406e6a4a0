import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { discover } from "./discover.ts";
import { CHECKOUT_ONLY, CORE_SECONDS_MAX, GROUPS, groupsOf, inTurn } from "./groups.ts";

const ROOT = join(import.meta.dirname, "../..");
const FILES = discover(ROOT, "full", []);

test("every long test is in exactly one group, and every group has one", () => {
  assert.ok(FILES.length > 50, `${FILES.length} files`);
  for (const path of FILES) assert.equal(groupsOf(path).length, 1, `${path} is in: ${groupsOf(path).join(", ")}`);
  for (const { name, installed } of GROUPS)
    assert.ok(installed === true || FILES.some((path) => groupsOf(path)[0] === name), `${name} has no file`);
});

test("every acceptance test runs with the installed package, in exactly one group, unless it needs a checkout", () => {
  const paths = [...discover(ROOT, "test", []), ...FILES].filter((path) => path.startsWith("tests/acceptance/"));
  assert.ok(paths.length > 90, `${paths.length} files`);
  const groupOf = (path: string): string => groupsOf(path, { installed: true }).join(", ");
  const names = GROUPS.filter(({ installed }) => installed).map(({ name }) => name);
  for (const path of paths)
    if (CHECKOUT_ONLY.test(path)) assert.equal(groupOf(path), "");
    else assert.ok(names.includes(groupOf(path)), `${path} is in: ${groupOf(path)}`);
  for (const name of names)
    assert.ok(
      paths.some((path) => groupOf(path) === name),
      `${name} has no file`,
    );
});

test("the core takes at most twenty minutes", () => {
  const [core] = GROUPS;
  assert.equal(core?.name, "core");
  assert.ok(core.seconds <= CORE_SECONDS_MAX);
});

test("changed surfaces come first, and the others begin with another one each time", () => {
  const names = (changed: readonly string[], turn: number): string[] => inTurn(changed, turn).map(({ name }) => name);
  const rest = GROUPS.length - 1;
  const firsts = Array.from({ length: rest }, (_, turn) => names([], turn)[0]);
  assert.equal(new Set(firsts).size, rest);
  for (let turn = 0; turn < rest; turn++) {
    const order = names(["docs/reference/s3.md", "portal/src/main.tsx"], turn);
    assert.deepEqual(order.slice(0, 2).toSorted(), ["portal", "setup"]);
    assert.equal(new Set(order).size, rest);
  }
});
