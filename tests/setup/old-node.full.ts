/** The first command with the oldest supported Node installs once, and continues with a Node that is new enough. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { copyCheckout } from "../fixtures/checkout.ts";
import { installOldNode, OLD_NODE } from "../fixtures/old-node.ts";

const DEADLINE_MS = 600_000;

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
