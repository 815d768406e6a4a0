import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ORGANIZATION_ROUTES } from "@mooring/contract";

const OPERATIONS = new URL("./operations/", import.meta.url);

test("every row of the contract is mounted, has an operation of its name, and a test that asks it for every refusal", () => {
  const routes = readFileSync(new URL("./routes.ts", import.meta.url), "utf8");
  const names = readdirSync(OPERATIONS).filter((file) => !file.endsWith(".test.ts"));
  const files = names.map((name) => ({
    name,
    text: readFileSync(new URL(name, OPERATIONS), "utf8"),
    tests: readFileSync(new URL(name.replace(/\.ts$/, ".test.ts"), OPERATIONS), "utf8"),
  }));
  const used = new Set<string>();
  for (const id of Object.keys(ORGANIZATION_ROUTES)) {
    assert.ok(routes.includes(`mountRoute(app, host, rows.${id}, ${id}(deps));`), `${id} is not mounted`);
    const [file, ...others] = files.filter(({ text }) => text.includes(`export function ${id}(`));
    assert.ok(file !== undefined && others.length === 0, `${files.length} files of operations/ must hold ${id} once`);
    assert.ok(file.tests.includes(`testOperation(ORGANIZATION_ROUTES.${id}, {`), `no test beside ${file.name}: ${id}`);
    used.add(file.name);
  }
  assert.deepEqual([...used].toSorted(), names.toSorted(), "each file of operations/ holds an operation of a row");
});
