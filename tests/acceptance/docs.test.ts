/** The requirements and outputs in the pages of the documentation. docs.full.ts runs their commands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf, patternOf, readPages } from "../fixtures/page.ts";

const PAGES = readPages();

test("every page with commands states its requirements at the top", () => {
  assert.ok(PAGES.length > 10);
  const silent = PAGES.filter(({ path, needs }) => path !== "README.md" && needs === undefined).map(({ path }) => path);
  assert.deepEqual(silent, []);
});

test("a command that is not run has a reason", () => {
  for (const { path, blocks } of PAGES)
    for (const { notRun, line } of blocks)
      assert.ok(notRun === undefined || notRun.length > 10, `${path}, line ${line}`);
});

test("commands, their output and the requirements are read from a page", () => {
  const text =
    "# A\n\n**Needs** a server that `MOORING_A_B=allow npm start` runs.\n\n```sh\na\n```\n\n```output\nx…\n```\n\n<!-- not run: needs a mail server -->\n\n```sh\nb\n```\n";
  const page = pageOf("docs/a.md", text);
  assert.deepEqual(page.settings, { MOORING_A_B: "allow" });
  assert.deepEqual(page.blocks, [
    { line: 5, script: "a\n", output: "x…\n", notRun: undefined },
    { line: 15, script: "b\n", output: undefined, notRun: "needs a mail server" },
  ]);
  assert.match("xyz", patternOf("x…"));
  assert.doesNotMatch("yz", patternOf("x…"));
});
