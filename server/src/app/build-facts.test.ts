import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildFacts, commitOf } from "./build-facts.ts";

const HASH = "0123456789abcdef0123456789abcdef01234567";

test("says which Node, SQLite and DuckDB run", () => {
  const { node, sqlite, duckdb } = buildFacts();
  assert.equal(node, process.versions.node);
  for (const version of [sqlite, duckdb]) assert.match(version, /^\d+\.\d+\.\d+/);
});

test("the commit is found on a branch (packed or not), in a linked work tree and detached; it may be missing", (context) => {
  const root = mkdtempSync(join(tmpdir(), "mooring-commit-"));
  context.after(() => rmSync(root, { recursive: true }));
  assert.equal(commitOf(root), null);
  const git = join(root, ".git");
  mkdirSync(join(git, "refs/heads"), { recursive: true });
  writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
  assert.equal(commitOf(root), null);
  writeFileSync(join(git, "packed-refs"), `# pack-refs with: peeled\n${HASH} refs/heads/main\n`);
  assert.equal(commitOf(root), HASH);
  const newer = HASH.replace("0", "f");
  writeFileSync(join(git, "refs/heads/main"), `${newer}\n`);
  assert.equal(commitOf(root), newer);
  const tree = join(root, "tree");
  mkdirSync(join(git, "worktrees/tree"), { recursive: true });
  mkdirSync(tree);
  writeFileSync(join(tree, ".git"), `gitdir: ${join(git, "worktrees/tree")}\n`);
  writeFileSync(join(git, "worktrees/tree/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(git, "worktrees/tree/commondir"), "../..\n");
  assert.equal(commitOf(tree), newer);
  writeFileSync(join(git, "HEAD"), `${HASH}\n`);
  assert.equal(commitOf(root), HASH);
});
