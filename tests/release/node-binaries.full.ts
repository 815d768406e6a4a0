/** The Node binaries of every platform, as npm delivers them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { checkNodeBinary, readNodeSums } from "../../tools/release/node-sums.ts";

const folder = mkdtempSync(join(tmpdir(), "mooring-node-binaries-"));
after(() => rmSync(folder, { recursive: true }));

for (const [name, { version, binary_sha256 }] of Object.entries(readNodeSums())) {
  test(`${name}@${version} has the binary that Node's release team published`, async () => {
    const directory = join(folder, name);
    mkdirSync(directory);
    const words = ["pack", "--silent", "--ignore-scripts", "--pack-destination", directory, `${name}@${version}`];
    const packed = spawnSync("npm", words, { cwd: folder, encoding: "utf8", timeout: 240_000 });
    assert.equal(packed.status, 0, `cannot get ${name}@${version}: ${packed.stderr}`);
    const unpacked = spawnSync("tar", ["-xzf", join(directory, packed.stdout.trim()), "-C", directory]);
    assert.equal(unpacked.status, 0, String(unpacked.stderr));
    assert.equal(await checkNodeBinary(join(directory, "package"), name), binary_sha256);
  });
}
