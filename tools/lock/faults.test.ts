import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { faultsOf, unusedExceptions } from "./faults.ts";
import { isAllowed, type LicenceException } from "./licences.ts";
import type { Lock } from "./lock.ts";

const INTEGRITY = `sha512-${"A".repeat(86)}==`;
const entry = (more: object = {}): object => ({ version: "1.0.0", integrity: INTEGRITY, license: "MIT", ...more });
const SOUND: Lock = {
  packages: {
    "": { optionalDependencies: { b: "1.0.0" } },
    "node_modules/a": entry({ optionalDependencies: { "a-linux-x64": "1.0.0" } }),
    "node_modules/a/node_modules/a-linux-x64": entry(),
    "node_modules/a/node_modules/inner": { version: "1.0.0", inBundle: true, license: "ISC" },
    "node_modules/b": entry(),
    "node_modules/w": { link: true },
    w: { version: "1.0.0" },
  },
};

const withEntry = (path: string, more: object): Lock => ({ packages: { ...SOUND.packages, [path]: more } });
const faults = (path: string, more: object, exceptions: readonly LicenceException[] = []): string[] =>
  faultsOf(withEntry(path, more), exceptions);

test("a complete lock file has no fault", () => {
  assert.deepEqual(faultsOf(SOUND, []), []);
});

test("an entry without integrity, or with a weak one, is named", () => {
  const { integrity: _, ...without } = entry() as Record<string, unknown>;
  assert.deepEqual(faults("node_modules/c", without), ["node_modules/c@1.0.0 has no sha512 integrity"]);
  assert.equal(faults("node_modules/c", entry({ integrity: "sha1-AAAA" })).length, 1);
});

test("an install script is named, except the known one of a package for development", () => {
  const script = entry({ hasInstallScript: true, dev: true });
  assert.deepEqual(faults("node_modules/c", script), ["node_modules/c@1.0.0 has an install script"]);
  assert.deepEqual(faults("node_modules/@swc/core", script), []);
  assert.equal(
    faults("node_modules/@swc/core", { ...script, dev: false }).length,
    1,
    "published code has no exception",
  );
});

test("a licence that the list does not allow, or none, needs an exception with that licence", () => {
  const exception = { name: "c*", licence: "MPL-2.0", reason: "a test", mayBePublished: false };
  const told = ["node_modules/c@1.0.0 has the licence MPL-2.0, which tools/lock/licences.ts does not allow"];
  assert.deepEqual(faults("node_modules/c", entry({ license: "MPL-2.0" })), told);
  assert.deepEqual(faults("node_modules/c", entry({ license: "MPL-2.0" }), [exception]), []);
  assert.equal(faults("node_modules/c", entry({ license: "GPL-3.0-only" }), [exception]).length, 1);
  assert.match(faults("node_modules/c", entry({ license: undefined })).join("\n"), /c@1\.0\.0 states no licence/);
  assert.deepEqual(unusedExceptions(SOUND, [exception]), ["c*"]);
});

test("a licence expression is allowed by one of its alternatives or all of its conjunctions, in parentheses too, but not by an exception", () => {
  for (const text of ["MIT", "(MIT OR GPL-3.0-only)", "GPL-2.0-only OR MIT", "MIT AND (ISC OR MPL-2.0)"])
    assert.ok(isAllowed(text), text);
  const refused = ["", "GPL-3.0-only", "MIT AND MPL-2.0", "(MIT", "MIT)", "MIT OR", "MIT ISC"];
  for (const text of [...refused, "Apache-2.0 WITH LLVM-exception", "SEE LICENSE IN LICENSE"])
    assert.ok(!isAllowed(text), text);
});

test("an optional package without an entry is named with its version", () => {
  const found = faults("node_modules/b", entry({ optionalDependencies: { "b-darwin-arm64": "1.0.0" } }));
  assert.deepEqual(found, ["b-darwin-arm64@1.0.0, which node_modules/b names, has no entry"]);
});

test("the project's own lock file has no fault", () => {
  const lock = JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8")) as Lock;
  assert.ok(Object.keys(lock.packages).length > 300);
  assert.deepEqual(faultsOf(lock), []);
  assert.deepEqual(unusedExceptions(lock), []);
});

test("npm runs no install script in this project", () => {
  assert.match(readFileSync(new URL("../../.npmrc", import.meta.url), "utf8"), /^ignore-scripts=true$/m);
});
