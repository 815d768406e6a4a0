import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { faultsOf, type Lock } from "./faults.ts";

const INTEGRITY = `sha512-${"A".repeat(86)}==`;
const SOUND: Lock = {
  packages: {
    "": { optionalDependencies: { b: "1.0.0" } },
    "node_modules/a": { version: "1.0.0", integrity: INTEGRITY, optionalDependencies: { "a-linux-x64": "1.0.0" } },
    "node_modules/a/node_modules/a-linux-x64": { version: "1.0.0", integrity: INTEGRITY },
    "node_modules/a/node_modules/inner": { version: "1.0.0", inBundle: true },
    "node_modules/b": { version: "1.0.0", integrity: INTEGRITY },
    "node_modules/w": { link: true },
    w: { version: "1.0.0" },
  },
};

const withEntry = (path: string, entry: object): Lock => ({ packages: { ...SOUND.packages, [path]: entry } });

test("a complete lock file has no fault", () => {
  assert.deepEqual(faultsOf(SOUND), []);
});

test("an entry without integrity, or with a weak one, is named", () => {
  assert.deepEqual(faultsOf(withEntry("node_modules/c", { version: "2.0.0" })), [
    "node_modules/c@2.0.0 has no sha512 integrity",
  ]);
  assert.equal(faultsOf(withEntry("node_modules/c", { version: "2.0.0", integrity: "sha1-AAAA" })).length, 1);
});

test("an optional package without an entry is named with its version", () => {
  const lock = withEntry("node_modules/b", {
    version: "1.0.0",
    integrity: INTEGRITY,
    optionalDependencies: { "b-darwin-arm64": "1.0.0" },
  });
  assert.deepEqual(faultsOf(lock), ["b-darwin-arm64@1.0.0, which node_modules/b names, has no entry"]);
});

test("the project's own lock file has no fault", () => {
  const lock = JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8")) as Lock;
  assert.ok(Object.keys(lock.packages).length > 300);
  assert.deepEqual(faultsOf(lock), []);
});
