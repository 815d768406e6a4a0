import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { NODE_RULES } from "./tidy/code.ts";
import { commitsSinceCheck, longSubjects } from "./tidy/commits.ts";
import { listFiles, trackedFiles, unreadFiles } from "./tidy/files.ts";
import { TIDY_RULES } from "./tidy/rules.ts";
import { checkNodes } from "./tidy/syntax.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const files = listFiles(ROOT);
const read = new Set<string>();
const nodeFindings = new Map<unknown, string[]>(checkNodes(NODE_RULES, files, (path) => read.add(path)));

test("the rules read every code file that git tracks", () => {
  const tracked = trackedFiles(ROOT);
  assert.ok(tracked.length > 1000, `git lists only ${tracked.length} files`);
  assert.deepEqual(unreadFiles(tracked, read), []);
});

test("subjects of commits fit in a line", () => {
  const long = longSubjects(commitsSinceCheck(ROOT));
  assert.ok(long.length === 0, `reword them with git rebase --interactive:\n${long.join("\n")}`);
});

for (const rule of TIDY_RULES) {
  test(rule.name, () => {
    const findings = nodeFindings.get(rule) ?? rule.check(files);
    assert.ok(findings.length === 0, `${findings.length} places break the rule:\n${findings.join("\n")}`);
  });
}
