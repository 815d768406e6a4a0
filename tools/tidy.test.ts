import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { isCode, listFiles } from "./tidy/files.ts";
import { TIDY_RULES } from "./tidy/rules.ts";

const files = listFiles(fileURLToPath(new URL("..", import.meta.url)));

test("the rules see the repository", () => {
  assert.ok(files.filter(({ path }) => isCode(path)).length >= 50);
  for (const path of ["package-lock.json", "server/src/kernel/problem.ts", "tools/tidy.test.ts"]) {
    assert.ok(
      files.some((file) => file.path === path),
      path,
    );
  }
});

for (const rule of TIDY_RULES) {
  test(rule.name, () => {
    const findings = rule.check(files);
    assert.ok(findings.length === 0, `${findings.length} places break the rule:\n${findings.join("\n")}`);
  });
}
