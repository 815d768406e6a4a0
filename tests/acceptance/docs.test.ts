/** The requirements and outputs in the pages of the documentation. docs.full.ts runs their commands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { allPages, BAD_DAYS, hiddenCommands, pageOf, patternOf, readPages, readText } from "../fixtures/page.ts";

const PAGES = readPages();

test("every page with commands states its requirements at the top", () => {
  assert.ok(PAGES.length > 10);
  const silent = PAGES.filter(({ path, needs }) => path !== "README.md" && needs === undefined).map(({ path }) => path);
  assert.deepEqual(silent, []);
});

test("every command is in a block that is run, or has a reason", () => {
  assert.deepEqual(
    ["README.md", ...allPages()].flatMap((path) => hiddenCommands(path, readText(path))),
    [],
  );
});

test("every page of a bad day is in their index, and every alert links to a page that exists", () => {
  const pages = allPages().filter((path) => path.startsWith(BAD_DAYS));
  const index = readText("docs/how-to/bad-days.md");
  assert.ok(pages.length > 15);
  assert.deepEqual(
    pages.filter((path) => !index.includes(path.replace("docs/how-to/", ""))),
    [],
  );
  const linked = [...readText("deploy/prometheus/alerts.yaml").matchAll(/runbook_url: ([^#\n]+)/g)];
  for (const [, path = ""] of linked) assert.ok(allPages().includes(path), path);
});

test("a command outside of sh, a mark without a reason, and a mark without a block are found", () => {
  const found = (text: string): string => hiddenCommands("a.md", text).join();
  const block = "```sh\nb\n```\n";
  assert.match(found("# A\n\n```\ncurl -sS http://a.test/\n```\n"), /^a\.md, line 3: make the block sh$/);
  assert.match(found(`<!-- not run -->\n\n${block}`), /line 1: the mark has no reason$/);
  assert.match(found(`<!-- not run: no -->\n\n${block}`), /the mark has no reason$/);
  assert.match(found("<!-- not run: needs a mail server -->\n\ntext\n"), /directly before a block/);
  assert.equal(found(`<!-- not run: needs a mail server -->\n\n${block}\n\`\`\`\ntree/\n\`\`\`\n`), "");
});

test("commands, their output and the requirements are read from a page", () => {
  const text =
    "# A\n\n**Needs** a server that `MOORING_A_B=allow npm start` runs.\n\n```sh\na\n```\n\n```output\nx…\n```\n\n<!-- not run: needs a mail server -->\n\n```sh\nb\n```\n";
  const page = pageOf("docs/a.md", text);
  assert.deepEqual(page.settings, { MOORING_A_B: "allow" });
  assert.deepEqual(page.blocks, [
    { line: 5, script: "a\n", output: "x…\n", notRun: undefined, heading: "A" },
    { line: 15, script: "b\n", output: undefined, notRun: "needs a mail server", heading: "A" },
  ]);
  assert.match("xyz", patternOf("x…"));
  assert.doesNotMatch("yz", patternOf("x…"));
});
