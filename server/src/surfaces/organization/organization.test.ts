import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ORGANIZATION_ROUTES, USAGE_ROUTES } from "@mooring/contract";

const OPERATIONS = new URL("./operations/", import.meta.url);

test("every row of the contract is mounted, has an operation of its name, and a test of every refusal", () => {
  const routes = readFileSync(new URL("./routes.ts", import.meta.url), "utf8");
  const names = readdirSync(OPERATIONS).filter((file) => !file.endsWith(".test.ts"));
  const files = names.map((name) => ({
    name,
    text: readFileSync(new URL(name, OPERATIONS), "utf8"),
    tests: readFileSync(new URL(name.replace(/\.ts$/, ".test.ts"), OPERATIONS), "utf8"),
  }));
  // The types of `mountRoutes` require an operation for each row of the table.
  for (const mounted of ["mountRoutes(app, deps, ORGANIZATION_ROUTES,", "mountRoutes(app, deps, USAGE_ROUTES,"])
    assert.ok(routes.includes(mounted), `routes.ts lacks ${mounted}`);
  const used = new Set<string>();
  const ids = [ORGANIZATION_ROUTES, USAGE_ROUTES].flatMap((rows) => Object.keys(rows));
  for (const id of ids) {
    const [file, ...others] = files.filter(
      ({ text }) => text.includes(`export const ${id}: `) || text.includes(`export function ${id}(`),
    );
    assert.ok(file !== undefined && others.length === 0, `${files.length} files of operations/ must hold ${id} once`);
    assert.match(
      file.tests,
      new RegExp(`testOperation\\(\\s*\\w+_ROUTES\\.${id},`),
      `no test beside ${file.name}: ${id}`,
    );
    used.add(file.name);
  }
  assert.deepEqual([...used].toSorted(), names.toSorted(), "each file of operations/ has an operation of a row");
});
