import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readLock } from "../lock/lock.ts";
import { readManifest } from "../package/workspace.ts";
import { checkNodeBinary, nodeSumFaults, readNodeSums } from "./node-sums.ts";

const ROOT = join(import.meta.dirname, "../..");
const names = Object.keys(readManifest(ROOT).optionalDependencies ?? {});

test("every package with a Node binary has the published sums of its version", () => {
  assert.deepEqual(nodeSumFaults(readLock(ROOT), names), []);
});

test("a package without sums, with sums of another version, and sums without a package are named", () => {
  const sums = { a: { version: "24.0.0", archive: "a.tar.gz", archive_sha256: "1", binary: "b", binary_sha256: "2" } };
  const lock = { packages: { "node_modules/a": { version: "24.1.0" } } };
  assert.match(nodeSumFaults(lock, ["a"], sums).join("\n"), /no sums of a@24\.1\.0/);
  assert.match(nodeSumFaults(lock, [], sums).join("\n"), /no package needs the sums of a/);
});

test("the installed Node binary is the published one", async (t) => {
  const found = names.map((name) => [name, join(ROOT, "node_modules", name)] as const);
  const checked = await Promise.all(
    found.map(async ([name, path]) => ((await checkNodeBinary(path, name)) === null ? [] : name)),
  );
  if (checked.flat().length === 0) t.skip("no package with a Node binary is installed: none was compared");
});

test("another binary is refused", async () => {
  const directory = mkdtempSync(join(tmpdir(), "mooring-node-sums-"));
  try {
    const [name = "", sum] = Object.entries(readNodeSums())[0] ?? [];
    mkdirSync(join(directory, "bin"));
    writeFileSync(join(directory, sum?.binary ?? ""), "not Node");
    await assert.rejects(checkNodeBinary(directory, name), /cannot release with .*: its binary has the SHA-256 /);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
