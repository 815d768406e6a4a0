import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { ORGANIZATION_ROUTES } from "@mooring/contract";

const OPERATIONS = new URL("./operations/", import.meta.url);

test("every row of the contract is mounted, has an operation of its name, and a test that asks it for every refusal", () => {
  const routes = readFileSync(new URL("./routes.ts", import.meta.url), "utf8");
  const files = readdirSync(OPERATIONS);
  for (const id of Object.keys(ORGANIZATION_ROUTES)) {
    const name = id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    assert.ok(routes.includes(`mountRoute(app, host, rows.${id}, ${id}(deps));`), `${id} is not mounted`);
    assert.ok(files.includes(`${name}.ts`), `operations/${name}.ts is missing`);
    const tests = readFileSync(new URL(`${name}.test.ts`, OPERATIONS), "utf8");
    assert.ok(tests.includes(`testOperation(ORGANIZATION_ROUTES.${id}, {`), `${name}.test.ts does not test ${id}`);
  }
  assert.equal(files.filter((file) => !file.endsWith(".test.ts")).length, Object.keys(ORGANIZATION_ROUTES).length);
});
